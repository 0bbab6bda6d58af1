"""What is shown: the answer in words, plots, and report.html. The only package that draws."""

if __name__ != "joute.reports":
    raise ImportError("this folder is joute.reports; no module of another name")
