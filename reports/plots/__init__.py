"""Plots, one file each; a file is named like its plot. Alone imports matplotlib."""

import logging

# Where it can keep nothing matplotlib says so in four lines, at every start: it only starts more slowly.
if logging.getLogger("matplotlib").level == logging.NOTSET:
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
