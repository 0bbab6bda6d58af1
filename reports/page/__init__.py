"""The answer in words, and the page report.html."""
