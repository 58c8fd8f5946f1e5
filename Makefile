# make demo and make test do all set-up themselves; a second call only redoes what changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Modules are compiled as they are imported: pip would compile all of them, one after the other. They
# must then be kept, or every process compiles them again, which takes longer than all else it imports.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(BIN)/python -m pip --disable-pip-version-check --quiet install --no-compile
BUILD_FILES := pyproject.toml CMakeLists.txt $(wildcard native/*) $(VENV)/.listing
CXX_FOUND := $(or $(shell command -v $(or $(CXX),c++) 2>/dev/null),$(shell command -v g++ clang++ 2>/dev/null | head -n 1))

.PHONY: demo app test docs lint js format bench sanitize sanitize-memory sanitize-threads clean compiler FORCE

demo: $(VENV)/.built
	$(BIN)/sentree demo

# The page in the browser: files of this folder, or an example.
app: $(VENV)/.built-app
	$(BIN)/sentree app

test: $(VENV)/.built-test
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder -q

# The pages are in docs/_build/html; warnings are errors, and nothing is fetched from the network.
docs: $(VENV)/.built-docs
	rm -rf docs/api/generated  # it would keep the pages of names that have gone
	$(BIN)/python -m sphinx -n -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html
	@echo "The documentation is in docs/_build/html/index.html"

lint: js $(VENV)/.built-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror native/*

# The page's JavaScript. Where npm is missing its checks are left out, except in CI.
js:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory node_modules/.installed && npm run --silent check; \
	elif [ -n "$(CI)$(SENTREE_CI)" ]; then echo "npm is missing: install Node.js 18.18 or newer." >&2; exit 1; \
	else echo "npm is missing: the page's JavaScript is not checked (install Node.js 18.18 or newer)."; fi

format: $(VENV)/.built-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i native/*

bench: $(VENV)/.built-compare
	$(BIN)/python benchmarks/speed.py --out benchmarks/results
	$(BIN)/python benchmarks/threads.py --out benchmarks/results
	$(BIN)/python benchmarks/neighbors_peers.py --out benchmarks/results
	$(BIN)/python benchmarks/whole_way.py --out benchmarks/results
	$(BIN)/python benchmarks/stages.py --out benchmarks/results
	$(BIN)/python benchmarks/cost_model.py --out benchmarks/results
	$(BIN)/python benchmarks/knn.py --out benchmarks/results/knn.csv
	$(BIN)/python benchmarks/topics.py --out benchmarks/results/topics.csv
	$(BIN)/python benchmarks/sizes.py --out benchmarks/results
	$(BIN)/python benchmarks/cold_start.py
	$(BIN)/python benchmarks/command_line.py --out benchmarks/results/command_line.csv
	$(BIN)/python benchmarks/quality.py --objective --out benchmarks/results
	$(BIN)/python benchmarks/amount.py --out benchmarks/results
	$(BIN)/python benchmarks/refit.py --out benchmarks/results/refit.csv
	$(BIN)/python benchmarks/scale.py --first-seed 300 --out benchmarks/results
	$(BIN)/python benchmarks/cells_open.py --out benchmarks/results/cells_open.csv
	$(BIN)/python benchmarks/trees.py --out benchmarks/results
	$(BIN)/python benchmarks/trees.py --text --out benchmarks/results
	$(BIN)/python benchmarks/certainty.py --out benchmarks/results
	$(BIN)/python benchmarks/general.py --jobs 2 --out benchmarks/results
	$(BIN)/python benchmarks/mixed.py --jobs 2 --out benchmarks/results
	$(BIN)/python benchmarks/page.py --out benchmarks/results
	$(BIN)/python benchmarks/active.py --jobs 2 --seeds 1 --out benchmarks/results

# The kernel tests on debug builds with checked containers, ASan and UBSan, and those of threads with
# TSan, in environments that borrow every package but sentree from the first one.
SANITIZERS_asan := address,undefined
SANITIZERS_tsan := thread
sanitize: sanitize-memory sanitize-threads
sanitize-memory: $(VENV)-asan/.built $(VENV)/.built-test
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$(c++ -print-file-name=libasan.so) $$(c++ -print-file-name=libubsan.so)" \
	SENTREE_EXPECT_SANITIZED=1 $(VENV)-asan/bin/python -m pytest -q -p no:cacheprovider tests/search/test_kernels.py \
	  tests/search/test_hard.py tests/search/test_label_spreading.py tests/search/test_multilevel.py tests/search/test_units.py \
	  tests/search/test_threads.py tests/search/test_shard_moves.py tests/graph/test_assembly.py tests/graph/test_cells.py tests/estimators/test_hierarchy.py -m "not golden"
# All races are told before it fails. Libraries that were not built with TSan work in one thread, for what their
# own threads do looks like races.
sanitize-threads: $(VENV)-tsan/.built $(VENV)/.built-test
	TSAN_OPTIONS=suppressions=tests/tsan.supp LD_PRELOAD="$$(c++ -print-file-name=libtsan.so)" \
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 SENTREE_EXPECT_SANITIZED=1 \
	setarch -R $(VENV)-tsan/bin/python -m pytest -q -p no:cacheprovider --capture=sys \
	  tests/search/test_kernels.py::test_make_sanitize_runs_the_sanitized_build tests/search/test_threads.py \
	  tests/search/test_shard_moves.py tests/graph/test_assembly.py tests/graph/test_cells.py -k "not fork"

clean:
	rm -rf $(VENV) $(VENV)-asan $(VENV)-tsan node_modules build dist demo-output .hypothesis docs/_build docs/api/generated docs/gallery

node_modules/.installed: package.json package-lock.json .npmrc
	npm ci --silent
	@touch $@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "sentree needs Python 3.11 or newer; set PYTHON to one, for example: make demo PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

compiler:
	@test -n "$(CXX_FOUND)" || { echo "sentree needs a C++17 compiler and found none: install g++ or clang++ (for example the package 'g++'), or set CXX to your compiler, and call make again." >&2; exit 1; }

# An editable install knows the Python files there were; the list is written where it changed.
$(VENV)/.listing: $(VENV)/bin/python FORCE
	@find src -name '*.py' | LC_ALL=C sort > $@.now
	@cmp -s $@.now $@ || cp $@.now $@

$(VENV)/.built: $(VENV)/bin/python $(BUILD_FILES) | compiler
	@echo "Building sentree and installing what it needs into $(VENV) (a minute or two the first time) ..."
	$(INSTALL) --editable .
	@touch $@

# What an extra needs besides: the package is there, and is not built again.
$(VENV)/.built-%: $(VENV)/.built
	$(INSTALL) 'sentree[$*]'
	@touch $@

$(VENV)-%/.built: $(BUILD_FILES) | compiler
	$(BIN)/python -m venv $(VENV)-$*
	$(BIN)/python -c 'import sys; print(*(one for one in sys.path if one.endswith("site-packages")), sep="\n")' \
	  > "$$($(VENV)-$*/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/borrowed.pth"
	$(VENV)-$*/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --editable . \
	  -C build-dir=build/$* -C cmake.define.SENTREE_SANITIZE=$(SANITIZERS_$*) -C cmake.build-type=Debug
	@touch $@
