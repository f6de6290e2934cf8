#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The same seed gives the same executions, however the program is put back to its start and whatever else the machine
# does. `heddle run` prints one hash over the traces of all its executions, each of which has a seed of its own; here it
# must be the same in snapshot, fork and exec mode, alone and while more of them run than there are cores, on all subjects
# of bench/subjects.
#
#     same_hash.sh [--full]
#
# --full or FULL=1 runs 1,000 executions in every mode; otherwise 200, 40 in exec mode, where one costs milliseconds, and programs of
# several processes run a fifth of that.
. "$(dirname "$0")/lib.sh"

every=200
by_exec=40
few=12
seeds="1 2 3"
strategies="rr pct pos portfolio"
if [ "${1:-${FULL:+--full}}" = --full ]; then
  every=1000
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
  local subject=$1 reset=$2 runs=$3 seed=$4 output
  shift 4
  output=$("$heddle" run -j 1 --reset "$reset" --runs "$runs" --seed "$seed" "$@" "./$subject" </dev/null 2>&1) ||
    { echo "failed: status $?" && return; }
  if ! grep -q "reset by $reset\$" <<<"$output"; then
    echo "not in $reset mode"
  elif [ "$(grep -c '^trace hash [0-9a-f]\{16\}$' <<<"$output")" -ne 1 ]; then
    echo "no hash"
  else
    sed -n 's/^trace hash //p' <<<"$output"
  fi
}

# later KEY SUBJECT RESET RUNS SEED [OPTIONS]: a hash to be found by the next call of at_a_time, then in ${found[KEY]}.
declare -A found=()
queue=()
later() { queue+=("$*"); }

# at_a_time N: so many of the queue at the same time, until all are done. More than there are cores take them from each other.
at_a_time() {
  local line key words running=0
  for line in "${queue[@]}"; do
    read -r key words <<<"$line"
    if [ $running -ge "$1" ]; then
      wait -n
      running=$((running - 1))
    fi
    # shellcheck disable=SC2086 # words
    hash $words >"hash.$key" &
    running=$((running + 1))
  done
  wait
  for line in "${queue[@]}"; do
    read -r key words <<<"$line"
    found[$key]=$(cat "hash.$key")
  done
  queue=()
}

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

# By fork and snapshot so many as by exec are the first of those that they run anyway: once is enough.
declare -A all=() short=()
for subject in "${subjects[@]}"; do
  many=$(so_many "$subject" $every)
  for reset in snapshot fork; do later "$subject.$reset" "$subject" $reset "$many" 1; done
  later "$subject.exec" "$subject" exec "$(so_many "$subject" $by_exec)" 1
done
alone=("${queue[@]}")
[ $every -eq $by_exec ] || for subject in "${subjects[@]}"; do later "$subject.few" "$subject" snapshot "$(so_many "$subject" $by_exec)" 1; done
at_a_time 1
for subject in "${subjects[@]}"; do
  all[$subject]="${found[$subject.snapshot]} ${found[$subject.fork]}"
  short[$subject]="${found[$subject.exec]} ${found[$subject.few]-${found[$subject.snapshot]}}"
done
queue=("${alone[@]}")

# More at the same time than cores: those again, other seeds, and the other strategies.
for subject in "${subjects[@]}"; do
  for reset in snapshot fork exec; do
    for seed in $seeds; do later "$subject.$reset.$seed" "$subject" $reset $few "$seed"; done
    for strategy in $strategies; do later "$subject.$reset.$strategy" "$subject" $reset $few 3 --strategy "$strategy"; done
  done
done
at_a_time $(($(nproc) + 1))
for subject in "${subjects[@]}"; do
  # shellcheck disable=SC2086 # one word for each hash
  same "$subject: $(so_many "$subject" $every) executions, snapshot and fork, unloaded and loaded" \
    ${all[$subject]} ${found[$subject.snapshot]} ${found[$subject.fork]}
  # shellcheck disable=SC2086
  same "$subject: $(so_many "$subject" $by_exec) executions, snapshot and exec, unloaded and loaded" ${short[$subject]} ${found[$subject.exec]}
  different=
  for seed in $seeds; do
    same "$subject: seed $seed, $few executions" "${found[$subject.snapshot.$seed]}" "${found[$subject.fork.$seed]}" "${found[$subject.exec.$seed]}"
    different+="${found[$subject.snapshot.$seed]}"$'\n'
  done
  if [ "$(sort -u <<<"${different%$'\n'}" | wc -l)" -eq "$(wc -w <<<"$seeds")" ]; then
    ok "$subject: another seed, another hash"
  else
    not_ok "$subject: another seed, another hash" "$different"
  fi
  for strategy in $strategies; do
    same "$subject: $few executions by $strategy" "${found[$subject.snapshot.$strategy]}" "${found[$subject.fork.$strategy]}" \
      "${found[$subject.exec.$strategy]}"
  done
done
