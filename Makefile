# SPDX-License-Identifier: Apache-2.0
#
# The front door; Meson does the work (meson.build). Nothing is compiled here.
#
#   make           build/heddle and build/libheddle.so, usable from there
#   make try       find the bug of examples/bank.c
#   make test      all tests; TESTS="name..." for those whose name contains one of the words
#   make bench     what heddle measures itself by
#   make table-minimise    what is left of failing stress tests, beside the published figures
#   make table-cooperari   trials until the bug, for the programs of cooperative testing
#   make table-localise   which switch is to blame, right or wrong, and runs needed; table-shrink: how near to the minimum
#   make install   into PREFIX (/usr/local), below DESTDIR if set
#   make deps      the packages it needs; the targets above do it by themselves when something is missing
#   make clean
#
# make CC=clang BUILD=build-clang keeps a second build beside the first.

BUILD  ?= build
PREFIX ?= /usr/local
TESTS  ?=
ifeq ($(origin CC),default)
CC := gcc
endif

# Meson lists the folders when it configures. So configure again whenever a file has come or gone.
SOURCES := $(sort $(wildcard src/*/*.c src/*/*.S tests/unit/test_*.c))

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja: $(BUILD)/sources.txt
	@if [ -f $@ ]; then meson setup --reconfigure $(BUILD); else CC='$(CC)' meson setup $(BUILD); fi >$(BUILD)/setup.log || \
	  { cat $(BUILD)/setup.log; exit 1; }

$(BUILD)/sources.txt: build-deps
	@mkdir -p $(BUILD)
	@echo '$(SOURCES)' | cmp -s - $@ || echo '$(SOURCES)' >$@

build-deps:
	@packaging/deps build

deps:
	@packaging/deps test

# heddle exits with 1 when it finds a bug, which is the right result here.
try: all
	$(BUILD)/heddle check examples/bank.c; test $$? -eq 1

test: deps all
	@ninja -C $(BUILD) unit-tests
	@tests/run $(BUILD) $(TESTS)

bench: deps all
	@bench/run $(BUILD)

table-cooperari: deps all
	@bench/cooperari $(BUILD)

table-minimise: deps all
	@bench/minimise $(BUILD) --sweep

table-localise: all
	@HEDDLE=$(abspath $(BUILD))/heddle bench/localise

table-shrink: all
	@HEDDLE=$(abspath $(BUILD))/heddle bench/shrink

install: all
	@meson install -C $(BUILD) --no-rebuild --quiet --destdir '$(DESTDIR)$(abspath $(PREFIX))'

clean:
	rm -rf $(BUILD)

.PHONY: all build-deps deps try test bench table-cooperari table-localise table-shrink table-minimise install clean
