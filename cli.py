"""The command `joute` of a checkout: `python cli.py`."""

from joute.entry import main

if __name__ == "__main__":
    main()
