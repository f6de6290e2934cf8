#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is in files as a C string that is another one when they change: fingerprint.sh OUT.c NAME FILE...
set -eu
out=$1 name=$2
shift 2
printf 'extern const char %s[];\nconst char %s[] = "%s";\n' "$name" "$name" "$(cat "$@" | sha256sum | cut -c1-16)" >"$out"
