#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What CONTRIBUTING.md promises: a strategy, an observer, a world and a command are each one file and one line (a world needs no
# line, a command has its help beside it). A copy of the tree gets one of each, and the compiler takes them and the files
# that have the lines; with FULL=1 the copy is built, which is a minute and a half, and does what they say.
. "$(dirname "$0")/lib.sh"

# does NAME STATUS REGEX ARGUMENTS...: heddle ends with that status, and says so in a line.
does() {
  local name=$1 wanted=$2 regex=$3
  shift 3
  run timeout -k 5 300 "$heddle" "$@" </dev/null
  if [ "$status" -ne "$wanted" ]; then
    not_ok "$name" "status $status, not $wanted"
  elif ! grep -Eq -- "$regex" .output; then
    not_ok "$name" "no line matches $regex"
  else
    ok "$name"
  fi
}

mkdir tree
(cd "$root" && tar cf - --exclude=.git --exclude=heddle-out src include packaging docs tests/unit tests/fuzz meson.build meson_options.txt LICENSE) | tar xf - -C tree
cd tree || exit 1

# Main as long as it can, then the thread with the highest number.
cat >src/strategy/backwards.c <<'C'
#include "core/strategy.h"

static void backwards_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  (void)state, (void)job, (void)seed, (void)execution;
}

static unsigned backwards_pick(void *state, const struct choice *c)
{
  (void)state;
  unsigned last = 0;
  THREADSET_EACH(t, c->enabled)
  {
    last = t;
  }
  return threadset_has(c->enabled, 0) ? 0 : last;
}

static unsigned backwards_choose(void *state, unsigned n)
{
  (void)state;
  return n - 1;
}

static bool backwards_end(void *state, const struct outcome *outcome)
{
  (void)state, (void)outcome;
  return false;
}

const struct strategy strategy_backwards = {.name = "backwards",
                                            .begin = backwards_begin,
                                            .pick = backwards_pick,
                                            .choose = backwards_choose,
                                            .end = backwards_end};
C
sed -i 's/^  X(dfs, /  X(backwards, "main, then the youngest thread") \\\n&/' src/core/strategy.h

# Holds the second thread back until the first one has ended.
cat >src/observer/curfew.c <<'C'
#include "core/engine.h"
#include "core/observer.h"

static bool curfew_admits(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  (void)state, (void)op;
  return task != 2 || e->world->ended(e->world->self, 1);
}

static bool curfew_matters(void *state, const struct engine *e, unsigned task, const struct operation *op)
{
  (void)state, (void)e;
  return task == 1 && op->kind == OP_EXIT;
}

const struct observer observer_curfew = {.name = "curfew", .admits = curfew_admits, .matters = curfew_matters};
C
sed -i 's/^  X(race) /  X(curfew) \\\n&/' src/core/observer.h

# Two coins are tossed, one after the other or the other way round.
mkdir src/worlds/coins
cat >src/worlds/coins/coins.c <<'C'
#include "worlds/coins/coins.h"

static void begin(void *self)
{
  (void)self;
}

static void go_on(void *self, unsigned task)
{
  struct coins *c = self;
  struct engine *e = c->engine;
  if (task == 0) {
    engine_add_thread(e, 0, 1, 1);
    engine_add_thread(e, 0, 2, 1);
    engine_end_thread(e);
  } else if (e->thread[task].pending.kind == OP_START) {
    engine_announce(e, &(struct operation){.kind = OP_CHOOSE, .arg = 2, .pc = task});
  } else {
    c->side[task - 1] = engine_choose(e, 2);
    engine_perform(e, c->side[task - 1]);
    engine_end_thread(e);
  }
}

static uint64_t number(void *self, unsigned task)
{
  (void)self, (void)task;
  return 0;
}

static uint64_t state(void *self, const struct operation *op, uint64_t key)
{
  (void)self, (void)op, (void)key;
  return 0;
}

static bool released(void *self, unsigned task, const struct operation *op)
{
  (void)self, (void)task, (void)op;
  return false;
}

struct world coins_world(struct coins *c)
{
  return (struct world){.self = c, .begin = begin, .go_on = go_on, .local = number, .calls = number, .state = state, .released = released};
}
C
cat >src/worlds/coins/coins.h <<'C'
#ifndef HEDDLE_WORLDS_COINS_H
#define HEDDLE_WORLDS_COINS_H
#include "core/engine.h"
struct coins {
  struct engine *engine;
  unsigned side[2];
};
struct world coins_world(struct coins *c);
#endif
C

# All ways in which two coins fall.
cat >src/cli/command/toss.c <<'C'
#include "cli/command/commands.h"
#include "worlds/coins/coins.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *sparse(size_t size)
{
  return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int cmd_toss(int argc, char **argv)
{
  (void)argc, (void)argv;
  struct control *control = sparse(sizeof *control);
  struct engine *e = sparse(sizeof *e);
  struct coins coins = {.engine = e};
  struct world world = coins_world(&coins);
  control->config.max_steps = 1000;
  e->world = &world;
  e->control = control;
  e->job.config = &control->config;
  e->strategy = strategy_table[strategy_by_name("dpor")];
  e->strategy_state = sparse(e->strategy->state_size);
  e->strategy->open(e->strategy_state, &e->job);
  bool more = true;
  for (uint64_t n = 0; more; n++) {
    engine_run(e, n);
    printf("%u %u\n", coins.side[0], coins.side[1]);
    more = engine_conclude(e);
  }
  return 0;
}
C
printf 'usage: heddle toss\n\nTosses two coins, in all ways.\n' >src/cli/help/toss.txt
sed -i 's/^  X("doctor", /  X("toss", toss, 0, BEGIN, "", "toss two coins") \\\n&/' src/cli/command/commands.h

if [ -z "${FULL:-}" ]; then
  for file in src/strategy/backwards.c src/observer/curfew.c src/worlds/coins/coins.c src/cli/command/toss.c \
    $(cd "$root" && grep -lE 'HD_(STRATEGIES|OBSERVERS|COMMANDS)\(X\)' -r src --include='*.c'); do
    check "the compiler takes $file" gcc -std=gnu17 -Wall -Wextra -Werror -D_GNU_SOURCE '-DHEDDLE_VERSION="copy"' -Isrc -Iinclude -fsyntax-only "$file"
  done
  exit 0
fi

check "the copy is configured" meson setup -Doptimization=0 -Dwerror=false -Ddebug=false ../build .
check "and builds" ninja -C ../build heddle libheddle.so as ld gcc.specs heddle-cc
cd ..
heddle=$PWD/build/heddle

cat >order.c <<'C'
#include <assert.h>
#include <pthread.h>
static int last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *set(void *to)
{
  pthread_mutex_lock(&lock);
  last = (int)(long)to;
  pthread_mutex_unlock(&lock);
  return to;
}
#ifdef ANOTHER
static void *nothing(void *unused) { return unused; }
#endif
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, 0, set, (void *)1);
#ifdef ANOTHER
  pthread_create(&b, 0, nothing, 0);
  pthread_detach(b);
#endif
  pthread_create(&b, 0, set, (void *)2);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(last == 2);
}
C
"$heddle" cc -g order.c -o order
does "the observer holds a thread back, under any strategy" 0 'no bug' run --runs 200 ./order
does "and in an exhaustive search" 0 'no bug' explore ./order
does "the command runs all executions of the world" 0 '^1 1$' toss
check "each of them once" test "$(sort .output | tr '\n' ',')" = '0 0,0 1,1 0,1 1,'
does "the command has its help" 0 'two coins' help toss

# Where the second thread has nothing to do, it may be held back.
"$heddle" cc -g -DANOTHER order.c -o other
does "the strategy shows the bug that the observer forbade" 1 'assertion failed: last == 2' run --strategy backwards --runs 1 ./other
does "an exhaustive search too" 1 'assertion failed: last == 2' explore ./other

# What cannot be is seen, and said in one line.
sed -i 's/return n - 1;/return n;/' tree/src/strategy/backwards.c
check "with a strategy that is wrong" ninja -C build heddle libheddle.so
printf '#include <heddle.h>\nint main(void) { return (int)hd_choose(2) / 2; }\n' >chooses.c
"$heddle" cc -g -Itree/include chooses.c -o chooses
does "a broken invariant is one line, and status 3" 3 '^heddle: a mistake in heddle itself, .*: a strategy chose what there was not to choose \(engine.c:[0-9]+\)' run --strategy backwards ./chooses
check "and no more" test "$(wc -l <.output)" = 1
