"""UCI, the protocol of chess engines, from both sides."""
