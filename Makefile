# Two commands matter: `make demo` (set up and run the main job) and `make test`; `make test-all` runs the long tests too.
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= 2

# The tests start hundreds of processes: without bytecode each would compile all that it imports anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all test-long check types bench pages pictures lock clean

demo: .venv/ready
	$(BIN)/joute run connect4-width-depth --out runs/demo

test: .venv/dev
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

test-all: .venv/dev
	$(BIN)/python -m pytest -n $(JOBS)

# All tests, the dearest too: all kernels under bounds checking, whole studies.
test-long: .venv/all
	JOUTE_LONG=1 $(BIN)/python -m pytest -n $(JOBS)

check: test-all
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(MAKE) types
	$(BIN)/mypy

# The package as it is installed, for mypy and editors: one folder of links.
types:
	rm -rf .venv/types
	mkdir -p .venv/types/joute
	cd .venv/types/joute && ln -s ../../../joute/* ../../../commands ../../../engines ../../../harness ../../../reports ../../../results ../../../studies .

bench: .venv/all
	$(BIN)/python -m benchmarks

# Renews the pages that are made from the program: commands and study keys.
pages: .venv/ready
	$(BIN)/python docs/pages.py

# Renews the pictures of README and docs (needs g++ and Chromium).
pictures: .venv/ready
	$(BIN)/python docs/pictures.py

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e . --config-settings editable_mode=compat
	touch .venv/ready

.venv/dev: .venv/ready requirements-dev.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch .venv/dev

# What only some tests need: networks (torch has half a gigabyte), open_spiel to compare with, PostgreSQL's driver, tablebases.
.venv/all: .venv/dev .venv/syzygy
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-build-isolation -e '.[train,bench,distributed,postgres]' --config-settings editable_mode=compat dask-jobqueue
	touch .venv/all

# Syzygy's endings of up to four men (6 MB, with python-chess's sources), for the tests of tablebases.
.venv/syzygy: .venv/dev
	$(BIN)/python -m pip download -q --disable-pip-version-check --no-deps --no-binary chess -d .venv/chess chess==1.11.2
	mkdir -p .venv/syzygy
	tar -xzf .venv/chess/chess-1.11.2.tar.gz -C .venv/syzygy --strip-components 4 chess-1.11.2/data/syzygy/regular
	rm -r .venv/chess

# Renews the two lock files (needs uv).
lock:
	uv pip compile -q pyproject.toml --group build --generate-hashes --no-emit-index-url --no-annotate --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements.lock
	uv pip compile -q pyproject.toml --group build --group dev -c requirements.lock --generate-hashes --no-emit-index-url --no-annotate --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements-dev.lock

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
