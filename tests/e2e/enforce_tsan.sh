#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# libheddle-enforce.so, built with ThreadSanitizer, under programs that are, too: specifications of all kinds, handlers,
# deadlocks, choices and schedules, with several threads: nothing is reported. A library without one of its locks is.
. "$(dirname "$0")/lib.sh"
programs=$root/tests/enforce
build() { cc -fsanitize=thread -O1 -g -fno-inline -fpatchable-function-entry=5 -pthread -I"$root/include" "$@"; }

echo 'int main(void) { return 0; }' >none.c
if ! build none.c -o none 2>.output; then
  ok "skipped: the compiler has no ThreadSanitizer"
  exit 0
fi

# As meson.build has it.
mapfile -t kept < <(sed -n "/^foreach name : \['ordering'/,/\]/p" "$root/meson.build" | grep -o "'[a-z_]*'" | tr -d "'")
compile() { cc -std=gnu17 -D_GNU_SOURCE -fsanitize=thread -O1 -g -fPIC -fvisibility=hidden -fexceptions -I"$root/include" -I"$root/src" "$@"; }
link() { cc -fsanitize=thread -shared -o "$1/libheddle-enforce.so" "${@:2}" -ldl -pthread; }
mkdir objects heddle broken
sources=("$root"/src/enforce/*.c "$root"/src/watch/*.[cS] "$root"/src/language/order_*.c)
for name in "${kept[@]}"; do sources+=("$root/src/core/$name.c"); done
check "the library, with ThreadSanitizer" bash -c "$(declare -f compile); root=$root; cd objects && compile -c ${sources[*]}"
link heddle objects/*.o
for folder in heddle broken; do cp "$heddle" "$(dirname "$(readlink -f "$heddle")")/libheddle.so" $folder/; done

# quiet NAME STATUS COMMAND...: ends so, and nothing is reported.
quiet() {
  expect_status "$1" "$2" timeout 100 "${@:3}"
  cp .output told
  check "$1: no report" test -z "$(grep -m1 ThreadSanitizer told)"
}
enforce() { quiet "$1" "$2" heddle/heddle enforce "${@:3}"; }

for name in crowd hash_or_modify guard_iteration rendezvous philosophers get_then_put; do build "$programs/$name.c" -o $name; done
enforce "several specifications at once, handlers, free()" 0 --spec "$programs/crowd.mop" ./crowd -- 100
enforce "a grammar" 0 --spec "$programs/hash_or_modify.mop" ./hash_or_modify
enforce "two parameters" 0 --spec "$programs/guard_iteration.mop" ./guard_iteration
enforce "who is blocked" 0 --spec "$programs/rendezvous.mop" ./rendezvous
enforce "a deadlock" 3 --spec "$programs/philosophers_forks.mop" ./philosophers -- 1000 2000
enforce "choices" 0 --explore --spec "$programs/get_then_put.mop" ./get_then_put
# Nobody is held there: the program may fail, and says so by status 1.
passive() { heddle/heddle enforce --passive --verbose --spec "$programs/philosophers.mop" ./philosophers -- 1 || [ $? -eq 1 ]; }
export -f passive
export programs
quiet "passive" 0 bash -c passive
if [ -e /usr/lib/x86_64-linux-gnu/liblua5.4.so.0 ]; then
  sed 's/call on_use/lua { count = (count or 0) + 1 }/' "$programs/crowd.mop" >scripted.mop
  enforce "handlers in Lua" 0 --spec scripted.mop ./crowd -- 20
fi

cat >ordered.c <<'C'
#include <heddle_schedule.h>
#include <pthread.h>
#include <semaphore.h>
HD_SCHEDULE(first, "after_post -> before_read, [before_wait] -> before_second");
static int value;
static sem_t second;
static void *writer(void *unused)
{
  value = 1;
  HD_EVENT(after_post);
  HD_EVENT(before_second);
  sem_post(&second);
  return unused;
}
int main(void)
{
  pthread_t thread;
  sem_init(&second, 0, 0);
  pthread_create(&thread, NULL, writer, NULL);
  HD_EVENT(before_read);
  int seen = value;
  HD_EVENT(before_wait);
  sem_wait(&second);
  pthread_join(thread, NULL);
  return seen != 1;
}
C
build ordered.c -o ordered -Lheddle -lheddle-enforce -Wl,-rpath,"$work/heddle"
quiet "a schedule" 0 env LD_PRELOAD="$work/heddle/libheddle-enforce.so" ./ordered

# One that does not take its locks.
sed 's/^    order_lock(&a->lock\[i\]->word);/    (void)a->lock[i];/' "$root/src/enforce/property_keeping.c" >property_keeping.c
sed -i 's/^    order_unlock(&a->lock\[i\]->word);/    (void)a->lock[i];/' property_keeping.c
check "a library without its locks" bash -c "$(declare -f compile); root=$root; ! cmp -s property_keeping.c $root/src/enforce/property_keeping.c && compile -c property_keeping.c -o broken.o"
rm objects/property_keeping.o
link broken objects/*.o broken.o
run timeout 100 broken/heddle enforce --spec "$programs/crowd.mop" ./crowd -- 100
cp .output told
check "is reported" grep -q 'ThreadSanitizer: data race' told
