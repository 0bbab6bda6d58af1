"""Reads study files, all errors of a file at once; writes those of `joute init`."""
