"""What each kind of study tells of its runs; a file is named after its kind."""
