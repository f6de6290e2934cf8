#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# examples/queue, a CMake project of three source files: built with CC="heddle cc" and checked; and through
# find_package(heddle) with an installed heddle. Both ways the bug is found and the fixed twin is silent.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cp -r "$root/examples/queue" project

built_with_heddle_cc() { CC="$heddle cc" cmake -S project -B a && cmake --build a; }
check "CC=\"heddle cc\": builds" built_with_heddle_cc
expect_status "CC=\"heddle cc\": the bug is found" 1 "$heddle" check --json found.json a/queue
check "it is the deadlock at queue_take" grep -q '"where": "queue.c:49"' found.json
check "and of no other kind" python3 -c 'import json
assert [b["kind"] for b in json.load(open("found.json"))["bugs"]] == ["deadlock"]'
expect_status "CC=\"heddle cc\": the fixed twin is silent" 0 "$heddle" check --time 2s a/queue_fixed

built_by_find_package() {
  meson install -C "$(dirname "$heddle")" --no-rebuild --destdir "$work/prefix" &&
    cmake -S project -B b -DWITH_HEDDLE=ON -DCMAKE_PREFIX_PATH="$work/prefix" && cmake --build b
}
check "find_package: builds" built_by_find_package
expect_output "find_package: the bug is found" "deadlock: .*changed" ctest --test-dir b --output-on-failure -R '^queue$'
check "find_package: the fixed twin is silent" ctest --test-dir b --output-on-failure -R '^queue_fixed$'
