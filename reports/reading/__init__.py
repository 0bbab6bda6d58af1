"""What a run says, in numbers and words, without HTML."""
