"""What is searched: study files, their kinds, and the studies that come with Joute."""
