#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# clang-tidy, clang-format and shellcheck find nothing, and would find something. Without FULL=1 clang-tidy looks at
# the files that changed lately and at a sample of the others.
. "$(dirname "$0")/lib.sh"

sample=(--sample)
[ -z "${FULL:-}" ] || sample=()
check "no mistake that can be seen without running anything" "$root/tests/lint" "$(dirname "$heddle")/lint" "${sample[@]}"

cat >wrong.c <<'C'
int first(const char *text);
int first(const char *text)
{
  int length;
  if (!text);
    return 0;
  return  *text;
}
C
tidy() { clang-tidy --quiet --config-file="$1" wrong.c -- -Wall -Wextra; }
expect_output "a mistake is seen" 'bugprone-suspicious-semicolon' tidy "$root/.clang-tidy"
expect_output "so is what clang warns of" 'clang-diagnostic-unused-variable' tidy "$root/.clang-tidy"
if grep -Eq -- '-Wall .*-Wextra' "$(dirname "$heddle")/lint/once/compile_commands.json"; then ok "which is asked to"; else not_ok "which is asked to"; fi
printf '#!/bin/sh\nfor i in 1 2; do echo $1; done <$nothing | while read x; do [ $x = 1 ] ; done\nrm -rf "$undefined/"*\n' >wrong.sh
expect_output "in a script, too" 'SC[0-9]+' shellcheck --severity warning wrong.sh

check "every C file is formatted" "$root/tests/format" --check
expect_output "a line that is not is seen" 'should be clang-formatted' clang-format --style="file:$root/.clang-format" --dry-run wrong.c
