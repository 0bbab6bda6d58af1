"""`python -m joute`: the command `joute`, which looks for no modules in the current folder either."""

from __future__ import annotations

import os
import sys

if not sys.flags.safe_path and sys.path and sys.path[0] == os.getcwd():
    del sys.path[0]  # Python put it there for -m

from joute.entry import main

if __name__ == "__main__":
    main()
