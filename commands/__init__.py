"""The commands of `joute`, one file each, found by their file names; `command` is what a file offers."""
