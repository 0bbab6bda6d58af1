"""Renews the pictures of the README and the docs: `make pictures` (needs g++ and Chromium; some minutes).

`answer.png` is the top of the report of the README's first example, as a browser shows it;
`heatmap.png` a plot of what `make demo` plays.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

DOCS = Path(__file__).resolve().parent
README = DOCS.parent / "README.md"
JOUTE = [sys.executable, "-m", "joute"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FIRST_FIGURE_LAST = "<style>body > figure ~ *, main > figure ~ * { display: none }</style>"
WIDTH, HEIGHT, SCALE, MARGIN = 900, 1400, 1.5, 12


def main() -> None:
    """Draw all pictures, each in a folder of its own that is removed."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"pictures: needs a browser: one of {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        run = first_example(folder)
        shoot(browser, run / "report.html", folder, DOCS / "answer.png")
        command(folder, *JOUTE, "run", "connect4-width-depth")
        plot = folder / "runs" / "connect4-width-depth" / "plots" / "heatmap.png"
        shutil.copyfile(plot, DOCS / "heatmap.png")
    print(DOCS / "answer.png", DOCS / "heatmap.png", sep="\n")


def first_example(folder: Path) -> Path:
    """Run the commands of the README's first example in a folder; return its run."""
    block = next(
        b
        for b in re.findall(r"```console\n(.*?)```", README.read_text(), re.DOTALL)
        if "joute init" in b
    )
    lines = [
        line[2:].replace("joute ", f"{' '.join(JOUTE)} ", 1)
        for line in block.splitlines()
        if line[:2] == "$ "
    ]
    script = "\n".join(["set -e", *lines, f'pwd > "{folder / "where"}"'])
    command(folder, "bash", "-c", script)
    return Path((folder / "where").read_text().strip()) / "runs" / "study"


def command(folder: Path, *words: str) -> None:
    """Run a command in a folder."""
    subprocess.run(words, cwd=folder, check=True)


def shoot(browser: str, report: Path, folder: Path, picture: Path) -> None:
    """Photograph a report down to its first plot, without the empty rest of the window."""
    page = folder / "page.html"
    page.write_text(report.read_text().replace("</head>", f"{FIRST_FIGURE_LAST}</head>"))
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    shot = [f"--window-size={WIDTH},{HEIGHT}", f"--force-device-scale-factor={SCALE}"]
    command(folder, browser, *flags, *shot, f"--screenshot={picture}", page.as_uri())
    with Image.open(picture) as opened:
        image = opened.convert("RGB")
    empty = Image.new("RGB", image.size, image.getpixel((0, image.height - 1)))
    box = ImageChops.difference(image, empty).getbbox()
    if box is None:
        sys.exit(f"pictures: {report} was drawn empty")
    image.crop((0, 0, image.width, box[3] + MARGIN)).save(picture, optimize=True)


if __name__ == "__main__":
    main()
