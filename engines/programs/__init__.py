"""Programs that are not ours: started, asked, pinned and surely ended."""
