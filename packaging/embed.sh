#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Files as C arrays that end in a zero byte: embed.sh OUT.c FILE...; page.css becomes page_css.
set -eu
out=$1
shift
{
  for file; do
    name=$(basename "$file" | tr . _)
    printf 'extern const unsigned char %s[];\nconst unsigned char %s[] = {\n' "$name" "$name"
    od -An -v -tx1 "$file" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
    printf '0};\n'
  done
} >"$out"
