"""What is shown: the answer in words, plots, and report.html. The only room that draws."""
