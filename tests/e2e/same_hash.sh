#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The same seed gives the same executions, however the program is put back to its start and whatever else the machine
# does. `heddle run` prints one hash over the traces of all its executions, each of which has a seed of its own; here it
# must be the same in snapshot, fork and exec mode, alone and while busy loops occupy the other cores, on all subjects
# of bench/subjects.
#
#     same_hash.sh [--full]
#
# --full runs 1,000 executions in every mode; otherwise exec mode, which costs milliseconds each, runs 200, and programs of
# several processes run a fifth of that.
. "$(dirname "$0")/lib.sh"

every=1000
by_exec=200
few=20
seeds="1 2 3 4 5"
if [ "${1:-}" = --full ]; then
  by_exec=1000
  seeds="1 2 3 4 5 6 7 8 9 10"
fi

# so_many SUBJECT N: a fifth of that, if it is of several processes.
so_many() {
  if [ "$every" -ne "$by_exec" ] && grep -q 'fork()' "$root/bench/subjects/$1.c"; then echo $(($2 / 5)); else echo "$2"; fi
}

subjects=()
for source in "$root"/bench/subjects/*.c; do
  name=$(basename "$source" .c)
  subjects+=("$name")
  "$heddle" cc -g -O2 "$source" -o "$name" || not_ok "$name is compiled"
done

# hash SUBJECT RESET RUNS SEED [OPTIONS]: the trace hash, or what went wrong.
hash() {
  local subject=$1 reset=$2 runs=$3 seed=$4
  shift 4
  "$heddle" run -j 1 --reset "$reset" --runs "$runs" --seed "$seed" "$@" "./$subject" </dev/null >.output 2>&1 ||
    { echo "failed: status $?" && return; }
  if ! grep -q "reset by $reset\$" .output; then
    echo "not in $reset mode"
  elif [ "$(grep -c '^trace hash [0-9a-f]\{16\}$' .output)" -ne 1 ]; then
    echo "no hash"
  else
    sed -n 's/^trace hash //p' .output
  fi
}

# Busy loops on all cores but the first; on a machine with one core, on that one.
busy=()
load() {
  local cpus cpu
  cpus=$(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
  if [ "$(wc -l <<<"$cpus")" -gt 1 ]; then cpus=$(tail -n +2 <<<"$cpus"); fi
  for cpu in $cpus; do
    timeout 600 taskset -c "$cpu" bash -c 'while :; do :; done' & # it must not outlive us by much
    busy+=($!)
  done
}
unload() {
  [ ${#busy[@]} -eq 0 ] && return
  kill "${busy[@]}" 2>/dev/null
  wait "${busy[@]}" 2>/dev/null
  busy=()
}
trap 'unload; [ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT

# same NAME VALUE...: all values are one and the same hash.
same() {
  local name=$1 value
  shift
  for value; do
    if [[ ! $value =~ ^[0-9a-f]{16}$ ]] || [ "$value" != "$1" ]; then
      not_ok "$name" "$*"
      return
    fi
  done
  ok "$name"
}

# Dates of files: what changed since heddle began did so in virtual time, which looking at it does not move on; what is
# older has its own date. It does not matter how long ago the process began.
cat >dated.c <<'C'
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
int main(int argc, char **argv)
{
  struct stat file;
  long before = clock();
  if (argc < 2 || stat(argv[1], &file)) return 1;
  printf("%ld %ld\n", (long)clock() - before, (long)file.st_mtime);
  return 0;
}
C
"$heddle" cc dated.c -o dated || not_ok "dated.c is compiled"
: >fresh
touch -d '3 years ago' old
sleep 0.1
said() { "$heddle" run --runs 1 --output all "$@" 2>&1 | sed -n 's/^    \([0-9]* [0-9]*\)$/\1/p'; }
for file in fresh old; do
  for reset in snapshot fork exec; do
    is=$(said --reset $reset ./dated -- $file)
    if [ "$is" = "1 $(stat -c %Y $file)" ]; then ok "the date of a file, $file, $reset"; else not_ok "the date of a file, $file, $reset" "$is"; fi
  done
done
is=$(said ./dated -- /proc/self/stat)
if [ "$is" = "1 2000000000" ]; then ok "the date of what is new"; else not_ok "the date of what is new" "$is"; fi

declare -A all=() short=()
for state in unloaded loaded; do
  [ $state = loaded ] && load
  for subject in "${subjects[@]}"; do
    for reset in snapshot fork; do
      all[$subject]+=" $(hash "$subject" $reset "$(so_many "$subject" $every)" 1)"
      [ $every -eq $by_exec ] || short[$subject]+=" $(hash "$subject" $reset "$(so_many "$subject" $by_exec)" 1)"
    done
    if [ $every -eq $by_exec ]; then
      all[$subject]+=" $(hash "$subject" exec $every 1)"
    else
      short[$subject]+=" $(hash "$subject" exec "$(so_many "$subject" $by_exec)" 1)"
    fi
  done
done
for subject in "${subjects[@]}"; do
  # shellcheck disable=SC2086 # one word for each hash
  if [ $every -eq $by_exec ]; then
    same "$subject: $every executions, snapshot, fork and exec, unloaded and loaded" ${all[$subject]}
  else
    same "$subject: $(so_many "$subject" $every) executions, snapshot and fork, unloaded and loaded" ${all[$subject]}
    same "$subject: $(so_many "$subject" $by_exec) executions, snapshot, fork and exec, unloaded and loaded" ${short[$subject]}
  fi
done

# The cores are still loaded: other seeds, and the other strategies.
for subject in "${subjects[@]}"; do
  different=
  values=()
  for seed in $seeds; do
    values+=("$(hash "$subject" snapshot $few "$seed") $(hash "$subject" fork $few "$seed") $(hash "$subject" exec $few "$seed")")
    different+="${values[-1]%% *}"$'\n'
  done
  wrong=
  for value in "${values[@]}"; do
    read -r a b c <<<"$value"
    if [ "$a" != "$b" ] || [ "$a" != "$c" ] || [[ ! $a =~ ^[0-9a-f]{16}$ ]]; then wrong+=" $value;"; fi
  done
  if [ -z "$wrong" ]; then ok "$subject: seeds $seeds, $few executions each"; else not_ok "$subject: seeds $seeds" "$wrong"; fi
  if [ "$(sort -u <<<"${different%$'\n'}" | wc -l)" -eq "$(wc -w <<<"$seeds")" ]; then
    ok "$subject: another seed, another hash"
  else
    not_ok "$subject: another seed, another hash" "$different"
  fi
  for strategy in rr pct pos portfolio; do
    same "$subject: $few executions by $strategy" "$(hash "$subject" snapshot $few 3 --strategy $strategy)" \
      "$(hash "$subject" fork $few 3 --strategy $strategy)" "$(hash "$subject" exec $few 3 --strategy $strategy)"
  done
done
unload
