"""What is searched: study files, their kinds, and the studies that come with Joute."""

if __name__ != "joute.studies":
    raise ImportError("this folder is joute.studies; no module of another name")
