"""What is shown and exported: the answer in words, plots, pages, files that play. The only room that draws."""

if __name__ != "joute.reports":
    raise ImportError("this folder is joute.reports; no module of another name")
