# SPDX-License-Identifier: Apache-2.0
#
# The front door; Meson does the work (meson.build). Nothing is compiled here. Packages that are missing are installed,
# after saying so (packaging/deps); any order of the targets works.
#
#   make             build/heddle and build/libheddle.so, usable from there
#   make try         find the bug of examples/bank.c
#   make test        all tests; TESTS="name..." for those whose name contains one of the words
#   make test-full   the same with all that there is no time for every day: more programs, strategies, replays; hours
#   make test-fast   less than a minute: the unit tests and the quick ones of the others
#   make test-sanitized   build with sanitizers in build-sanitize; the unit tests, every command and the parsers there
#   make tsan-enforce  libheddle-enforce.so built with ThreadSanitizer, under programs with several threads
#   make lint        mistakes that can be seen without running anything, and the format
#   make format      formats the C files; make format-check only looks
#   make coverage    build with --coverage in build-coverage; which lines the tests COVERED reach, by folder
#   make fuzz        the parsers on RUNS (1000000) mangled files each; best with SANITIZE=1
#   make bench       what heddle measures itself by
#   make table-minimise    what is left of failing stress tests, beside the published figures
#   make table-cooperari   trials until the bug, for the programs of cooperative testing
#   make table-localise    which switch is to blame, right or wrong, and runs needed
#   make table-schedules   schedules of tests in free runs on a busy machine
#   make table-capp       what looking first at a change brings, for each heuristic
#   make table-enforce     properties that are enforced in free runs, and what that costs
#   make table-pins        bugs pinned by heddle schedule: free runs with the bug and without
#   make table-migrate     tests that slept, migrated: how many, right or wrong, how much faster
#   make table-causal      classes of small programs, and executions to the bug, by causality and others
#   make table-shrink      how near to the minimum a shrunk schedule is
#   make install     into PREFIX (/usr/local), below DESTDIR if set
#   make dist        a release: build/dist/heddle-VERSION.tar.xz and SHA256SUMS
#   make deb         a Debian package from it, looked at by lintian
#   make test-package  installs that package in a fresh Debian (debootstrap) and finds a bug there; needs root and a network
#   make test-aarch64  the core, the command line and the unit tests for aarch64, cross-compiled and run by qemu
#   make site        the documentation as HTML, in build/site
#   make deps        only the packages, those of the tests too
#   make help        this list
#   make clean
#
# make CC=clang BUILD=build-clang keeps a second build beside the first. make SANITIZE=1 builds in build-sanitize, with the
# command line, its parts, the unit tests and the fuzzer under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer;
# the runtime, which is inside the tested program, is never.

SANITIZE ?=
COVERAGE ?=
BUILD  ?= $(if $(SANITIZE),build-sanitize,$(if $(COVERAGE),build-coverage,build))
PREFIX ?= /usr/local
TESTS  ?=
RUNS   ?= 1000000
ifeq ($(origin CC),default)
CC := gcc
endif

# What `make test-fast` runs of tests/e2e, beside the unit tests: together less than a minute on two idle
# cores (70 seconds of processor time).
FAST := unit/ $(addprefix e2e/,cli_help cli_input cli_status fresh_machine calls. header estimate.sh predict.py versions)

# What `make coverage` runs.
COVERED ?= unit/ $(addprefix e2e/,every_command cli_help cli_input cli_status versions estimate.sh outputs explore.sh predict.py trace.py)

# What `make test-sanitized` runs. Of the others, those that limit memory or take away /proc cannot work under sanitizers.
SANITIZED := unit/ e2e/every_command e2e/fuzz

# Meson lists the folders when it configures, and looks for cmocka. So configure again whenever a file has come or gone,
# or cmocka, which may be installed after the first build.
SOURCES := $(sort $(shell find src tests/unit -name '*.[cS]' -o -name '*.txt'))
NEEDS_TEST_PACKAGES := test test-full test-fast unit-tests lint format format-check coverage bench table-cooperari table-minimise
PACKAGES := $(if $(filter $(NEEDS_TEST_PACKAGES) deps,$(MAKECMDGOALS)),test,build)

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja: $(BUILD)/configured.txt
	@if [ -f $@ ]; then meson setup --reconfigure $(BUILD); else CC='$(CC)' meson setup $(if $(SANITIZE),-Dsanitize=true) $(if $(COVERAGE),-Dcoverage=true) $(BUILD); fi >$(BUILD)/setup.log || \
	  { cat $(BUILD)/setup.log; exit 1; }

$(BUILD)/configured.txt: deps
	@mkdir -p $(BUILD)
	@{ echo '$(SOURCES)'; pkg-config --modversion cmocka 2>/dev/null || echo without cmocka; } >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

deps:
	@packaging/deps $(PACKAGES)

help:
	@sed -n 's/^#   make/make/p' Makefile

# heddle exits with 1 when it finds a bug, which is the right result here.
try: all
	$(BUILD)/heddle check examples/bank.c; test $$? -eq 1

unit-tests: all
	@ninja -C $(BUILD) unit-tests tests/fuzz/fuzz

test: unit-tests
	@tests/run $(BUILD) $(TESTS)

test-full: unit-tests
	@FULL=1 LIMIT=20000 tests/run $(BUILD) $(TESTS)

test-fast: unit-tests
	@tests/run $(BUILD) $(FAST)

test-sanitized:
	@$(MAKE) --no-print-directory SANITIZE=1 test TESTS='$(SANITIZED)'

tsan-enforce: all
	@tests/run $(BUILD) e2e/enforce_tsan

coverage:
	@$(MAKE) --no-print-directory COVERAGE=1 unit-tests
	@tests/coverage build-coverage $(COVERED)

lint: deps
	@tests/lint $(BUILD)/lint
	@$(MAKE) --no-print-directory format-check

format: deps
	@tests/format

format-check: deps
	@tests/format --check

fuzz: all
	@ninja -C $(BUILD) tests/fuzz/fuzz
	@HEDDLE=$(abspath $(BUILD))/heddle RUNS=$(RUNS) tests/e2e/fuzz.sh

bench: all
	@bench/run $(BUILD)

table-cooperari: all
	@bench/cooperari $(BUILD)

table-causal: all
	@bench/causal $(BUILD)

table-minimise: all
	@bench/minimise $(BUILD) --sweep

table-schedules: all
	@bench/schedules $(BUILD)

table-capp: all
	@bench/capp $(BUILD)

table-enforce: all
	@bench/enforce $(BUILD)

table-pins: all
	@bench/pins $(BUILD)

table-migrate: all
	@bench/migrate $(BUILD)

table-localise: all
	@HEDDLE=$(abspath $(BUILD))/heddle bench/localise

table-shrink: all
	@HEDDLE=$(abspath $(BUILD))/heddle bench/shrink

install: all
	@meson install -C $(BUILD) --no-rebuild --quiet --destdir '$(DESTDIR)$(abspath $(PREFIX))'

dist:
	@packaging/tarball $(BUILD)/dist

deb: dist
	@packaging/deps deb
	@packaging/deb $(BUILD)/dist/heddle-*.tar.xz $(BUILD)/dist

test-package: deb
	@tests/package $(BUILD)/dist

test-aarch64:
	@packaging/deps aarch64
	@tests/aarch64 build-aarch64

site: all
	@packaging/deps site
	@packaging/site $(BUILD)/docs/options.json $(BUILD)/site
	@echo $(BUILD)/site/index.html

clean:
	rm -rf $(BUILD)

.PHONY: all deps dist deb test-package test-aarch64 site help try unit-tests test test-full test-fast test-sanitized tsan-enforce coverage lint format format-check fuzz bench table-capp table-causal table-cooperari table-enforce table-localise table-migrate table-minimise table-pins table-schedules table-shrink install clean
