"""The commands of `joute`, one file each, found by their file names; `command` is what a file offers."""

if __name__ != "joute.commands":
    raise ImportError("this folder is joute.commands; no module of another name")
