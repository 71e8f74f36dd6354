# SPDX-License-Identifier: Apache-2.0
# A thin front for CMake: make, make demo, make test, make install PREFIX=... DESTDIR=...
# Recipes read these from the environment, so that folders may have blanks in their names.
# 'value': a '$' in them is a character, and 'make clean' never removes another folder.
BUILD              ?= build
PREFIX             ?= /usr/local
DESTDIR            ?=
override export BUILD   := $(value BUILD)
override export PREFIX  := $(value PREFIX)
override export DESTDIR := $(value DESTDIR)
export JOBS        ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_FLAGS        ?=
MAKEFLAGS          += --no-print-directory

.PHONY: all help setup configure demo test install python octave octave-package js bench page view docs site format clean

all: configure
	@cmake --build "$$BUILD" --parallel "$$JOBS"

help:
	@echo "make            builds the libraries, the command, tests, examples and benchmarks in $$BUILD/"
	@echo "make demo       installs what is missing, builds the command, walks through it, and writes pages to $$BUILD/demo"
	@echo "make test       installs what is missing, builds, runs every test, and says which were skipped"
	@echo "make setup      installs what building and testing need (Debian)"
	@echo "make install    installs below PREFIX ($$PREFIX); DESTDIR goes before it"
	@echo "make python     installs what is missing, builds the Python package, installs it into $$BUILD/venv"
	@echo "make octave     installs what is missing, builds the functions for Octave in $$BUILD/octave"
	@echo "make octave-package  packs them and the sources for 'pkg install', into $$BUILD"
	@echo "make js         installs what is missing, builds the npm package (WebAssembly) in $$BUILD/js"
	@echo "make bench      runs the programs that measure times and errors"
	@echo "make page       builds the page of reports, web/dist, from web/ (Node.js)"
	@echo "make view       builds the live page of a robot, web/dist/view.html, and the library as WebAssembly in it"
	@echo "make docs       the headers' documentation as pages in $$BUILD/html (doxygen)"
	@echo "make site       installs what is missing, builds front page, documentation, runs and reference in $$BUILD/site"
	@echo "make format     lays out the sources (clang-format)"
	@echo "make clean      removes $$BUILD/"
	@echo "BUILD=folder, JOBS=number and CMAKE_FLAGS='-D...' work with all that build."

setup:
	@scripts/setup

# The kernels are compiled for every instruction set, one of which is chosen at run time; where 'make
# demo' finds no build, for that of this processor alone.
configure:
	@case "$$JOBS" in "" | 0 | *[!0-9]*) echo "JOBS='$$JOBS': expected a number of jobs" >&2; exit 1 ;; esac
	@case "$$BUILD" in *[\"\;\\]*) echo "BUILD='$$BUILD': CMake cannot build there: it has a quote, semicolon or backslash" >&2; exit 1 ;; esac
	@command -v cmake >/dev/null || { echo "cmake is missing: run 'make setup' first" >&2; exit 1; }
	@cmake -S . -B "$$BUILD" $${ISA_FLAG--DAPPELL_ISA=all} $(CMAKE_FLAGS) --log-level=WARNING

demo: setup
	@[ -e "$$BUILD/CMakeCache.txt" ] && flag= || flag=-DAPPELL_ISA=host; ISA_FLAG=$$flag $(MAKE) configure
	@cmake --build "$$BUILD" --parallel "$$JOBS" --target examples_picture
	@scripts/demo --picture "$$BUILD"
	@cmake --build "$$BUILD" --parallel "$$JOBS" --target appell_command
	@scripts/demo "$$BUILD/appell"

test: setup
	@$(MAKE) all
	@status=0; \
	ctest --test-dir "$$BUILD" --output-on-failure --no-tests=error --parallel "$$JOBS" || status=$$?; \
	scripts/skipped "$$BUILD" && exit $$status

install: all
	@cmake --install "$$BUILD" --prefix "$$(realpath -m -- "$$PREFIX")"

python:
	@scripts/setup python
	@$(MAKE) configure
	@/usr/bin/python3 -m venv --system-site-packages "$$BUILD/venv"
	@"$$BUILD/venv/bin/pip" --disable-pip-version-check install -q --force-reinstall --no-deps \
	  --config-settings build-dir="$$(realpath -- "$$BUILD")" .
	@echo "Run $$BUILD/venv/bin/python; 'import appell' works there (docs/python.md)."

octave:
	@scripts/setup octave
	@$(MAKE) configure
	@cmake --build "$$BUILD" --parallel "$$JOBS" --target appell_octave
	@echo "In Octave: addpath (\"$$(realpath -- "$$BUILD")/octave\") (docs/octave.md)."

octave-package:
	@mkdir -p "$$BUILD"
	@echo "In Octave: pkg install $$(scripts/octave_package "$$BUILD")"

js:
	@scripts/setup js
	@scripts/build_js "$$BUILD/js" "$$BUILD/js-wasm"
	@echo "In JavaScript: import { load } from '$$(realpath -- "$$BUILD")/js/index.js' (docs/js.md)."

bench: all
	@for program in "$$BUILD"/bench/*; do echo "== $$program"; "$$program" || exit 1; done

page:
	@scripts/build_page web/dist "$$BUILD/web"

view:
	@scripts/setup js
	@scripts/build_view web/dist "$$BUILD/view" "$$BUILD/web"

docs:
	@scripts/checks/doxygen "$$BUILD/html"

site:
	@scripts/setup site
	@$(MAKE) configure
	@cmake --build "$$BUILD" --parallel "$$JOBS" --target appell_command
	@scripts/build_site "$$BUILD/appell" "$$BUILD/site"
	@echo "Open $$BUILD/site/index.html."

format:
	@scripts/checks/format -i

clean:
	@scripts/clean "$$BUILD"
