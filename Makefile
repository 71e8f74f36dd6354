# A thin front for CMake: make, make demo, make test, make install PREFIX=... DESTDIR=...
BUILD       ?= build
PREFIX      ?= /usr/local
JOBS        ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_FLAGS ?=
MAKEFLAGS   += --no-print-directory

.PHONY: all help setup demo test install bench docs format clean

all:
	@command -v cmake >/dev/null || { echo "cmake is missing: run 'make setup' first" >&2; exit 1; }
	@cmake -S . -B $(BUILD) $(CMAKE_FLAGS) --log-level=WARNING
	@cmake --build $(BUILD) --parallel $(JOBS)

help:
	@echo "make            builds the libraries, the command, tests, examples and benchmarks in $(BUILD)/"
	@echo "make demo       installs what is missing, builds, walks through the command, and writes pages to $(BUILD)/demo"
	@echo "make test       installs what is missing, builds, and runs every test"
	@echo "make setup      installs what building and testing need (Debian)"
	@echo "make install    installs below PREFIX ($(PREFIX)); DESTDIR goes before it"
	@echo "make bench      runs the programs that measure times and errors"
	@echo "make docs       the headers' documentation as pages in $(BUILD)/html (doxygen)"
	@echo "make format     lays out the sources (clang-format)"
	@echo "make clean      removes $(BUILD)/"
	@echo "BUILD=folder, JOBS=number and CMAKE_FLAGS='-D...' work with all that build."

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
