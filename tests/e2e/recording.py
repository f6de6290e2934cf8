#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recording in one run: what is recorded of shared memory is the same whether it was kept until somebody else came to it, or
known to be shared from the beginning.

Each program is recorded twice. The second time it first uses so much memory of its own that nothing more can be kept: then
the run is made again, with what was learnt. What it did before is left out of the comparison by its place in the code; all
other events, their order, places, calls, values and results must be the same.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from formats import case, heddle, in_own_folder  # noqa: E402

# More than is kept of all memory, and of each word. Its steps keep it from being taken for a loop that waits.
BEFORE = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static volatile long own[8192];
static pthread_mutex_t steps = PTHREAD_MUTEX_INITIALIZER;
static void use_up(int argc)
{
  for (int round = 0; argc > 1 && round < 800; round++) {
    pthread_mutex_lock(&steps);
    pthread_mutex_unlock(&steps);
    for (int i = 0; i < 1024; i++)
      own[round % 8 * 1024 + i]++;
  }
}
"""

PROGRAMS = {
    "counter without a lock": r"""
static int counter, plain[4];
static void *add(void *n)
{
  for (int i = 0; i < 20; i++) {
    plain[i % 4] += (int)(long)n;
    counter++;
  }
  return 0;
}
static void body(void) { memset(plain, 1, sizeof plain); }
""",
    "published block": r"""
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node { struct node *next; char text[20]; int value; } *list;
static void *add(void *n)
{
  for (int i = 0; i < 5; i++) {
    struct node *made = calloc(1, sizeof *made);
    made->value = (int)(long)n + i;
    strcpy(made->text, "a node's text");
    pthread_mutex_lock(&lock);
    made->next = list;
    list = made;
    if (made->next)
      made->next->value++;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
static void body(void) { }
""",
    "atomics that fail": r"""
static _Atomic int state = 100;
static int written;
static void *add(void *n)
{
  for (int i = 0; i < 4; i++) {
    int seen = 100 * (i & 1);
    atomic_compare_exchange_strong_explicit(&state, &seen, (int)(long)n, memory_order_acq_rel, memory_order_relaxed);
    atomic_fetch_add_explicit(&state, 1, memory_order_release);
    written = seen;
  }
  return 0;
}
static void body(void) { }
""",
    "a block that another thread frees": r"""
static char *volatile block;
static void *add(void *n)
{
  char *mine = n == (void *)1 ? malloc(24) : 0;
  if (mine) {
    memset(mine, 1, 24);
    mine[3] = 7;
    block = mine;
  } else if (block) {
    free(block);
  }
  return 0;
}
static void body(void) { }
""",
    "a signal wakes": r"""
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, before;
static void *add(void *n)
{
  before += (int)(long)n;
  pthread_mutex_lock(&lock);
  if (n == (void *)2) {
    ready = 1;
    pthread_cond_signal(&cond);
  }
  while (!ready)
    pthread_cond_wait(&cond, &lock);
  pthread_mutex_unlock(&lock);
  before += ready;
  return 0;
}
static void body(void) { before = 5; }
""",
}
AFTER = r"""
int main(int argc, char **argv)
{
  (void)argv;
  pthread_t thread[2];
  pthread_create(&thread[0], 0, add, (void *)1);
  use_up(argc);
  body();
  pthread_create(&thread[1], 0, add, (void *)2);
  pthread_join(thread[0], 0);
  pthread_join(thread[1], 0);
}
"""


def events(program, *arguments):
    """All that is said of each event, in order, but for those of use_up(); numbers are replaced by what they stand for."""
    heddle("record", "-q", "-o", "run.trace", "./" + program, "--", *arguments, status=0)
    heddle("convert", "-q", "run.trace", "run.std", status=0)
    known, found = {"site": {}, "stack": {}, "object": {}}, []
    for line in pathlib.Path("run.std").read_text(errors="replace").splitlines():
        words = line.split()
        kind = words[0][1:] if words and words[0].startswith("#") else ""
        if kind in known:
            told = re.search(r"text=(\S+)" if kind != "object" else r"addr=(\S+)", line)
            known[kind][int(words[1])] = told[1] if told else tuple(words[2:])
        elif kind == "event":
            fields = dict(word.split("=", 1) for word in words[2:])
            fields.pop("lines", None)
            fields.pop("cause", None)
            for key, number in fields.items():
                table = {"second": "object"}.get(key, key)
                fields[key] = known[table].get(int(number, 0)) if table in known else number
            found.append((words[1], fields))
    lines = [line for line, text in enumerate(BEFORE.splitlines(), 1) if "steps)" in text or "own[round" in text]
    return [(op, tuple(sorted(f.items(), key=str))) for op, f in found
            if f.get("site") not in ["%s.c:%d" % (program, line) for line in lines]]


def main():
    for number, (name, text) in enumerate(PROGRAMS.items()):
        source, program = "program%d.c" % number, "program%d" % number
        pathlib.Path(source).write_text(BEFORE + text + AFTER)
        heddle("cc", "-g", "-O1", source, "-o", program, status=0)
        kept, known = events(program), events(program, "more")
        different = ["%s instead of %s" % pair for pair in zip(kept, known) if pair[0] != pair[1]]
        if len(kept) != len(known):
            different.append("%d events instead of %d" % (len(kept), len(known)))
        case("%s: as if it had been known from the beginning" % name, different)
        memory = sum(op in ("read", "write", "atomic-rmw", "free") for op, _ in kept)
        case("%s: there is something to compare" % name, [] if memory > 3 else [kept])


in_own_folder(main)
