#!/bin/sh
# Builds the wheel, installs it beside nothing of the checkout, and runs it from an empty folder.
set -eu
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m build --wheel --no-isolation --outdir "$work/dist" . >"$work/build.log" 2>&1 ||
    { cat "$work/build.log"; exit 1; }
"$python" -m venv --system-site-packages "$work/venv"
site=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
"$work/venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps "$work"/dist/*.whl
# The libraries of the checkout's environment, without the checkout itself (no .pth is read).
mkdir "$work/empty"
cd "$work/empty"
export PYTHONPATH="$site"
"$work/venv/bin/python" -I -c 'import sys' # the venv itself works
joute="$work/venv/bin/joute"
where=$("$work/venv/bin/python" -c 'import joute.cli; print(cli.__file__)')
case "$where" in "$work"/*) ;; *) echo "the wheel is shadowed by $where"; exit 1 ;; esac
test "$("$joute" perft 'connect4[columns=7,rows=6]' 4)" = 2401
"$joute" run connect4-quick --set schedule.blocks=2 -j 1 --out run
test -s run/report.html && test -s run/plots/ladder.png && test -s run/standings.csv
"$work/venv/bin/python" -c 'from joute.engines.nets.net import net_file; assert all(net_file(n).stat().st_size > 10**5 for n in ("gopher-zero", "dodo-zero"))'
echo "wheel: runs from an empty folder"
