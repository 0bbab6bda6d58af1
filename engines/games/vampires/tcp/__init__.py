"""The course's protocol over TCP, both sides."""
