#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle's own sources are without warnings for clang, too; gcc compiles them with -Werror anyway.
. "$(dirname "$0")/lib.sh"

if ! command -v clang >/dev/null; then
  echo "skip: clang is not there"
  exit 0
fi
for folder in "$root"/src/*; do
  folder=$(basename "$folder")
  # shellcheck disable=SC2046 # names without blanks
  check "src/$folder" clang -fsyntax-only -std=gnu17 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE '-DHEDDLE_VERSION="0"' -mfsgsbase \
    -mcx16 -mpopcnt -fexceptions -I "$root/include" -I "$root/src" $(pkg-config --cflags libdw jansson) $(find "$root/src/$folder" -name "*.c")
done
