#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The trace log (--trace-file): its three formats say the same, and what they say is true.

Pending accesses, waits and arrows are compared with what the steps themselves say; programs that use every kind of
arrow run under twenty random schedules.
"""
import collections
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from formats import ROOT, case, fits, heddle, in_own_folder  # noqa: E402

# Ends in a failure under every schedule. Its names are hostile: quotes, markup, newlines, UTF-8 and what is none.
MEETING = r"""
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <heddle.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t gate;
static sem_t tokens;
static int ready, seen;
static void *waiter(void *unused)
{
  pthread_setname_np(pthread_self(), "w\"<\n\xff\xc3\xa9");
  hd_event("\"<&>\n\xc3\xa9\xff\t\\");
  pthread_mutex_lock(&lock);
  while (!ready)
    pthread_cond_wait(&changed, &lock);
  seen++;
  pthread_mutex_unlock(&lock);
  sem_wait(&tokens);
  pthread_rwlock_rdlock(&table);
  pthread_rwlock_unlock(&table);
  pthread_barrier_wait(&gate);
  return unused;
}
static void *changer(void *unused)
{
  pthread_rwlock_wrlock(&table);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  sem_post(&tokens);
  pthread_rwlock_unlock(&table);
  pthread_barrier_wait(&gate);
  return unused;
}
int main(void)
{
  pthread_t thread[2];
  sem_init(&tokens, 0, 0);
  pthread_barrier_init(&gate, NULL, 2);
  pthread_create(&thread[0], NULL, waiter, NULL);
  pthread_create(&thread[1], NULL, changer, NULL);
  pthread_join(thread[0], NULL);
  pthread_join(thread[1], NULL);
  assert(seen == 2);
}
"""
ARROWS = {"create", "exit", "mutex-unlock", "cond-signal", "sem-post", "rwlock-unlock", "barrier-arrive"}
WRITES = {"write", "atomic-store", "atomic-rmw", "free"}
READS = {"read", "atomic-load"}


def written(schedule, name, *options):
    heddle("show", "--run", "-q", "--trace-file", name, *options, schedule, status=0)
    return pathlib.Path(name).read_bytes()


def logs(schedule):
    """The text, JSON and Chrome logs of a schedule."""
    text = written(schedule, "log.txt").decode()
    return text, json.loads(written(schedule, "log.json")), json.loads(written(schedule, "log.perfetto.json"))


# ---- facts of the JSON log ----


def wrong_steps(log):
    steps = [line["step"] for line in log["steps"]]
    wrong = [] if steps == sorted(set(steps)) else ["steps do not grow"]
    known = {thread["name"] for thread in log["threads"]}
    wrong += [f"unknown thread {line['thread']}" for line in log["steps"] + log["left"] if line["thread"] not in known]
    for before, line in zip(log["steps"], log["steps"][1:]):
        if ("switch" in line) != (before["thread"] != line["thread"]):
            wrong.append(f"step {line['step']}: a switch that is none, or the other way round")
    for line in log["steps"]:
        for key in "waited_since", "woken_by", "race_with":
            if line.get(key, 0) >= line["step"]:
                wrong.append(f"step {line['step']}: {key} {line[key]}")
    return wrong


def wrong_pending(log):
    """A thread stands before its next step; so whom the log calls pending can be told from the rest of the log."""
    wrong = []
    lines = log["steps"] + log["left"]
    for i, line in enumerate(log["steps"]):
        if "pending_readers" not in line:
            continue
        following = {}
        for other in lines[i + 1:]:
            following.setdefault(other["thread"], other)
        alike = [o["operation"] for t, o in following.items() if t != line["thread"] and o.get("object") == line["object"]]
        wanted = (sum(o in READS for o in alike), sum(o in WRITES for o in alike))
        if wanted != (line["pending_readers"], line["pending_writers"]):
            wrong.append(f"step {line['step']}: {line['pending_readers']}/{line['pending_writers']}, not {wanted}")
    return wrong


# ---- facts of the Chrome log ----


def wrong_slices(chrome, log):
    """One slice a step, in its order; no two of a track overlap."""
    events = [e for e in chrome["traceEvents"] if e["ph"] != "M"]
    times = [e["ts"] for e in events]
    wrong = [] if times == sorted(times) else ["times do not grow"]
    slices = [e for e in events if e["ph"] == "X"]
    steps = [e for e in slices if e["cat"] != "wait"]
    if [e["ts"] for e in steps] != [line["step"] for line in log["steps"]]:
        wrong.append(f"{len(steps)} slices for {len(log['steps'])} steps")
    ends = collections.defaultdict(int)
    for e in slices:
        if e["ts"] < ends[e["tid"]]:
            wrong.append(f"slices overlap at {e['ts']}: {e['name']}")
        ends[e["tid"]] = e["ts"] + e["dur"]
    names = {e["tid"] for e in chrome["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
    return wrong + [f"track {e['tid']} has no name" for e in events if e["tid"] not in names]


def wrong_holds(chrome):
    """Every lock that is taken is given back, once, later, by the same name."""
    wrong, held = [], {}
    for e in chrome["traceEvents"]:
        if e["ph"] == "b":
            wrong += [f"{e['id']} begins twice"] if e["id"] in held else []
            held[e["id"]] = e
        elif e["ph"] == "e":
            begin = held.pop(e["id"], None)
            if not begin or (begin["name"], begin["tid"]) != (e["name"], e["tid"]) or begin["ts"] >= e["ts"]:
                wrong.append(f"{e['id']} ends but did not begin")
    return wrong + [f"{id} never ends" for id in held]


def wrong_arrows(chrome):
    """Each has both ends, on slices of two threads, and leads forward."""
    wrong, starts, ends = [], {}, {}
    slices = {(e["tid"], e["ts"]): e for e in chrome["traceEvents"] if e["ph"] == "X" and e["cat"] != "wait"}
    for e in chrome["traceEvents"]:
        if e["ph"] in "sf":
            ids = starts if e["ph"] == "s" else ends
            wrong += [f"{e['id']} twice"] if e["id"] in ids else []
            ids[e["id"]] = e
            wrong += [] if (e["tid"], e["ts"]) in slices else [f"{e['id']} is on no slice"]
    if starts.keys() != ends.keys():
        wrong.append("an arrow with one end")
    for id in starts.keys() & ends.keys():
        s, f = starts[id], ends[id]
        if s["ts"] >= f["ts"] or s["tid"] == f["tid"] or (s["name"], s["cat"]) != (f["name"], f["cat"]):
            wrong.append(f"arrow {id} leads nowhere")
        elif slices.get((s["tid"], s["ts"]), {}).get("args", {}).get("operation") != s["name"]:
            wrong.append(f"arrow {id} is no {s['name']}")
    return wrong


def wrong_lines(text, log):
    lines = text.splitlines()
    wrong = [] if lines[0] == "# heddle-trace 1" else ["the first line is no version"]
    steps = [line for line in lines if not line.startswith("#")]
    if len(steps) != len(log["steps"]) + len(log["left"]):
        wrong.append(f"{len(steps)} lines for {len(log['steps'])} steps and {len(log['left'])} left")
    for line, said in zip(steps, log["steps"]):
        races = "[race" in line
        if line.split()[0] != str(said["step"]) or races != ("race" in said) or said.get("object", "") not in line:
            wrong.append(f"{line.strip()} is not {said}")
    return wrong


def check_all(name, schedule):
    text, log, chrome = logs(schedule)
    fits(f"{name}: JSON fits its schema", "trace.schema.json", log)
    fits(f"{name}: Chrome trace events fit their schema", "chrome-trace.schema.json", chrome)
    case(f"{name}: steps grow, switches are switches", wrong_steps(log))
    case(f"{name}: one line of text a step", wrong_lines(text, log))
    case(f"{name}: one slice a step, none overlap", wrong_slices(chrome, log))
    case(f"{name}: held locks begin and end", wrong_holds(chrome))
    case(f"{name}: arrows have both ends", wrong_arrows(chrome))
    return text, log, chrome


# ---- the programs ----


def race():
    heddle("check", "-q", ROOT / "examples" / "bank.c", status=1)
    schedule = "heddle-out/bank-1.hd"
    text, log, chrome = check_all("race", schedule)
    case("pending accesses are those of the next steps", wrong_pending(log))
    racing = [line for line in log["steps"] if "race" in line]
    by_step = {line["step"]: line for line in log["steps"]}
    wrong = [] if racing else ["no race is marked"]
    for line in racing:
        other = by_step.get(line.get("race_with"), {})
        if other.get("object") != line["object"] or other.get("thread") == line["thread"]:
            wrong.append(f"step {line['step']} races with {other}")
        if not {other.get("operation"), line["operation"]} & WRITES:
            wrong.append(f"step {line['step']}: two reads race")
    case("a race is marked at its later side, with the step of the other", wrong)
    marks = [e["ts"] for e in chrome["traceEvents"] if e["ph"] == "i" and e["cat"] == "race"]
    case("races are instants", [] if marks == [line["step"] for line in racing] else [marks])
    updates = [line for line in log["steps"] if line["operation"] == "write" and line["object"] == "balance[0]"]
    values = [(line["before"], line["value"]) for line in updates]
    chained = values and values[0][0] == "100" and all(a[1] == b[0] for a, b in zip(values, values[1:]))
    case("values before and after a write", [] if chained and len(values) == 2 else [values])
    case("the last step before the failure is in the text", [] if "balance[1]  → 150" in text else [text[-300:]])
    same = [written(schedule, "again." + end) == pathlib.Path("log." + end).read_bytes() for end in ("txt", "json", "perfetto.json")]
    case("the same schedule, the same files", [] if all(same) else [same])
    for reset in "snapshot", "fork", "exec":
        said = written(schedule, f"{reset}.txt", "--reset", reset).decode()
        case(f"the same log by {reset}", [] if said == text else ["it differs"])
    listed = heddle("replay", "--trace", schedule, status=1).stdout.decode()
    case("--trace lists the same steps", [] if re.search(r"balance\[0\]  100 → 50  # 0/[01]", listed) else [listed[:300]])


def properties():
    """What monitors read, and who is held back."""
    spec = ["enforce Kept(void *l) { event add before(void *l) : call(list_add(..)) && target(l) {}",
            "event make before(void *l) : call(iter_new(..)) && target(l) {}",
            "fsm: fresh [ add -> full ] full [ add -> full ] @nonfail {} }"]
    pathlib.Path("kept.mop").write_text("\n".join(spec))
    heddle("check", "-q", "--spec", "kept.mop", ROOT / "tests" / "properties" / "safe_iteration.c", status=1)
    text, log, _ = check_all("properties", "heddle-out/safe_iteration-1.hd")
    wanted = [{"name": "Kept(list)", "property": "Kept", "readings": [{"step": 3, "thread": "T1", "event": "add", "state": "full"}]}]
    case("monitors and what they read", [] if log.get("monitors") == wanted else [log.get("monitors")])
    held = {line["thread"]: line.get("held_since") for line in log["left"]}
    case("who is held, since when", [] if held == {"main": 2} else [held])
    case("and in the text", [] if re.search(r"is held before.*make of Kept on list.*held back since 2", text) else [text])


def local_variable():
    """What lies on a stack before the first write is garbage, and not the same by each way of putting memory back."""
    heddle("check", "-q", ROOT / "tests" / "subjects" / "thread_argument.c", status=1)
    schedule = "heddle-out/thread_argument-1.hd"
    log = json.loads(written(schedule, "local.json"))
    writes = [line for line in log["steps"] if line["operation"] == "write" and line["object"] == "i"]
    values = [(line.get("before"), line["value"]) for line in writes]
    case("a local variable has no value before its first write", [] if values[:2] == [(None, "0"), ("0", "1")] else [values])
    texts = {reset: written(schedule, f"local-{reset}.txt", "--reset", reset) for reset in ("snapshot", "fork", "exec")}
    case("and then the logs are the same", [] if len(set(texts.values())) == 1 else ["they differ"])


def deadlock():
    heddle("check", "-q", ROOT / "tests" / "subjects" / "abba_deadlock.c", status=1)
    text, log, chrome = check_all("deadlock", "heddle-out/abba_deadlock-1.hd")
    left = {line["thread"]: line for line in log["left"]}
    wrong = [] if set(left) == {"main", "T1", "T2"} else [f"left are {set(left)}"]
    wrong += [f"{t} is not marked" for t, line in left.items() if not line.get("deadlock")]
    holders = {line["thread"]: line.get("holder") for line in log["left"]}
    wrong += [] if holders == {"main": None, "T1": "T2", "T2": "T1"} else [holders]
    case("requests that are never granted are marked, with who holds the lock", wrong)
    case("and in the text", [] if text.count("[deadlock]") == 3 and "held by T1" in text else [text])
    waits = [e for e in chrome["traceEvents"] if e["ph"] == "X" and e["cat"] == "wait" and e["args"].get("deadlock")]
    bugs = [e for e in chrome["traceEvents"] if e["ph"] == "i" and e["cat"] == "bug"]
    ends = {e["ts"] + e["dur"] for e in waits}
    case("waits last to the end, where the bug is", [] if len(waits) == 3 and len(bugs) == 1 and ends == {bugs[0]["ts"]} else [waits])


def schedules():
    """The meeting under twenty schedules: all that was found wrong in any, and the arrows that were seen."""
    pathlib.Path("meeting.c").write_text(MEETING)
    heddle("cc", "-g", "-w", f"-I{ROOT / 'include'}", "meeting.c", "-o", "meeting", status=0)
    wrong, seen, waits = [], set(), 0
    for seed in range(1, 31):
        heddle("run", "-q", "--runs", 1, "--seed", seed, "--out", f"seed{seed}", "./meeting", status=1)
        schedule = f"seed{seed}/meeting-1.hd"
        text, log, chrome = logs(schedule)
        found = wrong_steps(log) + wrong_pending(log) + wrong_slices(chrome, log) + wrong_holds(chrome) + wrong_arrows(chrome)
        found += wrong_lines(text, log)
        wrong += [f"seed {seed}: {what}" for what in found]
        seen |= {e["name"] for e in chrome["traceEvents"] if e["ph"] == "s"}
        waits += sum(e.get("cat") == "wait" for e in chrome["traceEvents"])
        creates = [e for e in chrome["traceEvents"] if e["ph"] == "s" and e["name"] == "create"]
        started = [e for e in log["steps"] if e["operation"] == "start"]
        if len(creates) != len(started):
            wrong.append(f"seed {seed}: {len(creates)} arrows to {len(started)} starts")
    case("thirty schedules: all holds for each of them", wrong)
    case("arrows lead from all that lets threads go on", sorted(ARROWS - seen))
    case("waits are seen", [] if waits > 20 else [waits])


def hostile_names():
    text, log, chrome = check_all("hostile names", "seed1/meeting-1.hd")
    control = [c for c in text if ord(c) < 32 and c != "\n"]
    case("no control characters in the text", [f"{control!r}"] if control else [])
    event = next(line for line in log["steps"] if line["operation"] == "event")
    case("an event's name, escaped", [] if '"<&>' in event["object"] and "é" in event["object"] else [event])
    given = [t["given_name"] for t in log["threads"]]
    case("a thread's name", [] if '"<' in (given[1] or "") and "\\xff" in given[1] else [given])
    names = [e["args"]["name"] for e in chrome["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"]
    case("and in the viewer", [] if len(names) == 3 and names[0].startswith("main") and '"<' in names[1] else [names])


def told(name, regex_words, *words):
    """Status 2 and one line that has these words."""
    done = heddle(*words)
    wrong = [] if done.returncode == 2 else [f"status {done.returncode}"]
    wrong += [] if done.stderr.count(b"\n") == 1 and not done.stdout else [done.said]
    case(name, wrong + [f"no \"{word}\" in {done.said}" for word in regex_words if word not in done.said])


def wrong_use():
    schedule = "heddle-out/bank-1.hd"
    pathlib.Path("precious.c").write_text("int precious;\n")
    told("not onto a file of another kind", ["not overwritten"], "show", "--run", "--trace-file", "precious.c", schedule)
    told("not onto a log in another format", ["not overwritten"], "show", "--run", "--trace-file", "log.txt", "--trace-format", "chrome", schedule)
    told("not into a missing folder", ["cannot be written"], "replay", "--trace-file", "no/such.json", schedule)
    told("not onto a folder", ["is a folder"], "replay", "--trace-file", ".", schedule)
    told("no format without a file", ["--trace-file"], "show", "--run", "--trace-format", "json", schedule)
    told("no unknown format", ["text, json or chrome"], "show", "--run", "--trace-format", "xml", "--trace-file", "x", schedule)
    told("two documents on standard output", ["both need"], "replay", "--trace-file", "-", "--json", "-", schedule)
    done = heddle("replay", "--trace-file", "-", "--trace-format", "chrome", schedule, status=1)
    case("- is standard output", [] if json.loads(done.stdout)["traceEvents"] else ["empty"])


def test():
    race()
    local_variable()
    deadlock()
    properties()
    schedules()
    hostile_names()
    wrong_use()


if __name__ == "__main__":
    in_own_folder(test)
