"""The page report.html; its words come from `reading/`."""
