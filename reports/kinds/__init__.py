"""What each kind of study reports of its runs; a file is named after its kind."""
