#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Code that none of us wrote, from Debian's packages, under heddle's control: libraries with a small driver built by
# heddle cc (tests/real/), and unmodified programs. Under every schedule each one must run to its end with the right
# output and nothing reported. tests/real/README.md says what was seen and what does not work yet.

. "$(dirname "$0")/lib.sh"
real=$root/tests/real
runs=20
[ -z "${FULL:-}" ] || runs=120

skip() { printf 'skip - %s: %s\n' "$1" "$2"; }

# output_is FILE LINE COUNT: the program's output in FILE is that line, COUNT times.
output_is() {
  sed -n '/^  the program.s output:$/,/^[^ ]/s/^    //p' "$1" |
    awk -v line="$2" -v count="$3" '$0 == line { n++; next } { bad = 1 } END { exit bad || n != count }'
}

# schedules NAME EXPECTED PROGRAM [OPTION...]: rr once, the others $runs times, the expected line in each execution.
schedules() {
  local name=$1 expected=$2 program=$3 strategy n
  shift 3
  for strategy in rr random pos pct; do
    n=$runs
    [ $strategy = rr ] && n=1
    run timeout 300 "$heddle" run --strategy $strategy --runs $n --seed 3 --output all -j1 "$@" "$program"
    if [ "$status" -ne 0 ]; then
      not_ok "$name" "$strategy: status $status"
      return
    elif ! output_is .output "$expected" $n; then
      not_ok "$name" "$strategy: wrong output"
      return
    fi
  done
  ok "$name"
}

# drive NAME EXPECTED SOURCE PACKAGES [COMPILER ARGUMENT...] [-- RUN OPTION...]: PACKAGES as pkg-config knows them.
drive() {
  local name=$1 expected=$2 source=$3 packages=$4 compiler=cc flags=() arguments=()
  shift 4
  [[ $source == *.cpp ]] && compiler=c++
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    arguments+=("$1")
    shift
  done
  [ $# -gt 0 ] && shift
  if [ -n "$packages" ]; then
    if ! pkg-config --exists $packages 2>/dev/null; then
      skip "$name" "$packages is not installed"
      return
    fi
    read -ra flags < <(pkg-config --cflags --libs $packages | tr '\n' ' ')
  fi
  run "$heddle" $compiler -g -O1 -o "./$source.bin" "$real/$source" "${arguments[@]}" "${flags[@]}"
  if [ "$status" -ne 0 ]; then not_ok "$name" "does not build"; else schedules "$name" "$expected" "./$source.bin" "$@"; fi
}

# ---- libraries ----

drive "GLib: GMutex, GCond, GAsyncQueue" "sum 312" glib_queue.c glib-2.0
drive "GLib: GThreadPool, GOnce, GPrivate, GRWLock" "sum 100" glib_pool.c glib-2.0
flavour=0
for name in memb mb bp qsbr; do
  drive "liburcu: $name" "x 2" urcu.c liburcu-$name -DFLAVOUR=$flavour
  drive "liburcu: $name, call_rcu" "x 3" urcu.c liburcu-$name -DFLAVOUR=$flavour -DCALL_RCU
  drive "liburcu: $name, inline" "x 2" urcu.c liburcu-$name -DFLAVOUR=$flavour -D_LGPL_SOURCE -- --races ignore
  flavour=$((flavour + 1))
done
drive "libuv: thread pool, async, timer" "sum 14 done 3 woken 2 ticked 2 busy 0" uv_work.c libuv
drive "libuv: a pipe between two loops" "hello world" uv_pipe.c libuv
drive "libevent: events from other threads, bufferevent" "cdefghij 2" event_threads.c "libevent libevent_pthreads"
drive "SQLite: one connection, two threads" "rows 6 sum 36" sqlite_threads.c sqlite3
drive "OpenMP: libgomp" "sum 55 count 3 fib 3" openmp.c "" -fopenmp
drive "C++: pool of std::thread, futures, async, call_once" "sum 100 thrown 1" std_pool.cpp "" -std=c++17
drive "oneTBB: parallel_reduce, concurrent_queue" "sum 28 popped 6" tbb_sum.cpp tbb -std=c++17
if [ -e /usr/include/boost/thread.hpp ]; then
  drive "Boost.Thread: queue, barrier, interruption" "sum 62 table 4 interrupted 1" boost_thread.cpp "" -lboost_thread \
    -lboost_system
else
  skip "Boost.Thread" "libboost-thread-dev is not installed"
fi
for mode in POLL EPOLL AUTO; do
  drive "libmicrohttpd on loopback: $mode" "you asked for /a and /b" microhttpd.c libmicrohttpd -DMODE=MHD_USE_$mode
done
drive "libmicrohttpd on loopback: select" "you asked for /a and /b" microhttpd.c libmicrohttpd -DMODE=0

# ---- unmodified programs ----

# program NAME: $program is its path; false, with a word about it, if it is not installed.
program() {
  program=$(command -v "$1") && return
  skip "$1" "it is not installed"
  return 1
}

seq 1 3000 >numbers.txt

# same_text NAME INPUT EXPECTED PROGRAM ARGUMENT...: from standard input to standard output, under each strategy.
same_text() {
  local name=$1 input=$2 expected=$3 strategy
  shift 3
  for strategy in rr random pos pct; do
    timeout 300 "$heddle" run --strategy $strategy --runs 1 --seed 5 -j1 --leaks ignore --output all "$1" -- "${@:2}" \
      <"$input" >.output 2>&1
    status=$?
    if [ $status -ne 0 ]; then
      not_ok "$name" "$strategy: status $status"
      return
    elif ! sed -n '/^  the program.s output:$/,/^[^ ]/s/^    //p' .output | cmp -s - "$expected"; then
      not_ok "$name" "$strategy: wrong output"
      return
    fi
  done
  ok "$name"
}

# packs NAME UNPACK RESULT PROGRAM ARGUMENT...: makes RESULT from numbers.txt, another schedule each time.
packs() {
  local name=$1 unpack=$2 result=$3 strategy seed
  shift 3
  for strategy in rr random pos pct; do
    for seed in 1 2 3; do
      rm -f "$result"
      run timeout 300 "$heddle" run --files real --strategy $strategy --runs 1 --seed $seed -j1 "$1" -- "${@:2}"
      if [ "$status" -ne 0 ]; then
        not_ok "$name" "$strategy, seed $seed: status $status"
        return
      elif ! $unpack -dc "$result" | cmp -s - numbers.txt; then
        not_ok "$name" "$strategy, seed $seed: what it packed is not right"
        return
      fi
    done
  done
  ok "$name"
}

# passes NAME INPUT PROGRAM ARGUMENT...: many executions, all with status 0.
passes() {
  local name=$1 input=$2 strategy
  shift 2
  for strategy in random pos pct; do
    timeout 300 "$heddle" run --strategy $strategy --runs 30 --seed 5 "$1" -- "${@:2}" <"$input" >.output 2>&1
    status=$?
    [ $status -eq 0 ] || { not_ok "$name" "$strategy: status $status" && return; }
  done
  ok "$name"
}

if program pigz; then
  packs "pigz -p 3" gzip numbers.txt.gz "$program" -p 3 -b 128 -kf numbers.txt
  passes "pigz -p 3, many schedules" numbers.txt "$program" -p 3 -b 128 -c
  same_text "pigz -d" numbers.txt.gz numbers.txt "$program" -d -c
fi
if program pbzip2; then
  seq 1 40000 >large.txt # more than one block
  packs "pbzip2 -p2" pbzip2 numbers.txt.bz2 "$program" -p2 -kf numbers.txt
  passes "pbzip2 -p2, two blocks, many schedules" large.txt "$program" -p2 -b1 -1 -c
  same_text "pbzip2 -d" numbers.txt.bz2 numbers.txt "$program" -p2 -d -c
fi
if program xz; then
  packs "xz -T2" xz numbers.txt.xz "$program" -0 -T2 --block-size=5000 -kf numbers.txt
  passes "xz -T2, many schedules" numbers.txt "$program" -0 -T2 --block-size=5000 -c
  same_text "xz -d -T2" numbers.txt.xz numbers.txt "$program" -d -T2 -c
fi
if program zstd; then
  packs "zstd -T2" zstd numbers.txt.zst "$program" -q -T2 -B5000 -kf numbers.txt
  passes "zstd -T2, many schedules" numbers.txt "$program" -q -T2 -B5000 -c
  same_text "zstd -d" numbers.txt.zst numbers.txt "$program" -q -d -c
fi
if program sort; then
  LC_ALL=C sort -r numbers.txt >sorted.txt
  export LC_ALL=C
  same_text "sort --parallel=2" numbers.txt sorted.txt "$program" -r --parallel=2 -S 4M
fi

# Programs that use no threads simply run.
check "true" "$heddle" run --runs 3 /bin/true
expect_status "false" 1 "$heddle" run --runs 3 /bin/false
mkdir folder && touch folder/a folder/b && printf 'a\nb\n' >listing
same_text "ls" /dev/null listing /bin/ls folder
same_text "cat" numbers.txt numbers.txt /bin/cat
gzip -kf numbers.txt
same_text "gzip -d" numbers.txt.gz numbers.txt /bin/gzip -d -c
