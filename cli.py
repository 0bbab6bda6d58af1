"""The command `joute` of a checkout: `python cli.py`. The front door itself is joute/cli.py."""

from joute.cli import main

if __name__ == "__main__":
    main(prog_name="joute")
