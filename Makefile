# A thin front for CMake: make, make demo, make test, make install PREFIX=... DESTDIR=...
BUILD       ?= build
PREFIX      ?= /usr/local
JOBS        ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_FLAGS ?=
MAKEFLAGS   += --no-print-directory

.PHONY: all setup demo test install bench docs format clean

all:
	@command -v cmake >/dev/null || { echo "cmake is missing: run 'make setup' first" >&2; exit 1; }
	@cmake -S . -B $(BUILD) $(CMAKE_FLAGS) --log-level=WARNING
	@cmake --build $(BUILD) --parallel $(JOBS)

setup:
	@scripts/setup

demo: setup
	@$(MAKE) all
	@scripts/demo $(BUILD)/appell

test: setup
	@$(MAKE) all
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error --parallel $(JOBS)

install: all
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(abspath $(PREFIX))"

bench: all
	@for program in $(BUILD)/bench/*; do echo "== $$program"; $$program || exit 1; done

docs:
	@scripts/checks/doxygen $(BUILD)/html

format:
	@scripts/checks/format -i

clean:
	@rm -rf $(BUILD)
