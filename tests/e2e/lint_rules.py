#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle lint on the cases of tests/lint_cases: of every loop the verdict that its line says, and no other loop; every path that is
told is walked again in the source; limits, names of the user's own, suppressions, baselines, changed lines, documents, bad input.

A line says `= bounded [PATTERN]`, `= live PATTERN`, `= unbounded` or `= possible` (unbounded-threads-possible, which is off by default), then
`, WORDS` of a reason and `; CONDITION`, each if there is one. In cases of habits (h_*) and other resources (r_*) it says `! RULE` for a finding and `right RULE` where there is none, and
nothing else may be found there. All cases are read in one run. Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
CASES = os.path.join(ROOT, "tests", "lint_cases")
MARK = re.compile(r"/\* = (?:(\w+) )??(bounded|live|unbounded|possible|calls|loops)(?: (\d+))?(?:, (.*?))?(?:; (.*?))? \*/")

THREADS = ["--rules", "unbounded-threads,unbounded-threads-possible"]
HABIT = re.compile(r"(!|right) ([a-z-]+)")


def case(name, good, detail=""):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good and detail:
        print("\n".join("    " + line for line in str(detail).splitlines()[-25:]), flush=True)


def lint(*words, folder=None):
    done = subprocess.run([HEDDLE, "lint", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
                          cwd=folder or TMP)
    return done.returncode, done.stdout, done.stderr


def document(*words, folder=None):
    status, out, err = lint("--json", "-", *words, folder=folder)
    try:
        return status, json.loads(out)
    except ValueError:
        return status, {"findings": [], "error": out + err}


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")


def commands(sources, folder):
    rows = [{"directory": os.path.dirname(s), "file": s,
             "arguments": ["c++", "-std=c++20", s] if s.endswith(".cpp") else ["cc", s]} for s in sources]
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(rows, file)


def verdict(finding):
    total, live = finding["total"], finding["simultaneous"]
    if total["bounded"]:
        return "bounded", total.get("pattern", 0)
    if live["bounded"]:
        return "live", live.get("pattern", 0)
    return ("unbounded" if finding["rule"] == "unbounded-threads" else "possible"), 0


# ---- verdicts ----

def marks():
    """(file, line): (word before, verdict, number, reason, condition)"""
    return {(path, number): match.groups() for path in sorted(glob.glob(os.path.join(CASES, "*.c")) + glob.glob(os.path.join(CASES, "*.cpp")))
            for number, line in enumerate(lines_of(path), 1) for match in MARK.finditer(line)}


def check_mark(place, mark, found):
    word, wanted, number, reason, condition = mark
    name = f"{os.path.basename(place[0])}:{place[1]} is {wanted}{' by ' + number if number else ''}"
    if not found:
        case(name, False, "nothing is told of the loop")
        return
    texts = "\n".join(p["text"] for p in found["path"])
    good = verdict(found) == (wanted, int(number or 0)) and (not reason or reason in texts)
    good = good and (not condition or found["condition"] == condition) and found["may"] == (word == "may")
    good = good and (found["state"] == "new") == (wanted in ("unbounded", "possible"))
    case(name, good, f"{verdict(found)} may={found['may']} {found['state']}\n{found['condition']}\n{texts}")


def verdicts(findings):
    found = {(f["file"], f["line"]): f for f in sorted(findings, key=lambda f: f["state"] == "new") if "loop" in f}
    wanted = {place: mark for place, mark in marks().items() if mark[1] not in ("calls", "loops") and mark[0] != "named"}
    case("there are at least 24 cases", len({place[0] for place in wanted}) >= 24, len(wanted))
    for place, mark in wanted.items():
        check_mark(place, mark, found.get(place))
    others = [f"{os.path.basename(f['file'])}:{f['line']}" for place, f in found.items() if place not in wanted]
    case("no other loop is told", not others, others)


# ---- habits and other resources ----

def habit_sources():
    return sorted(p for kind in "hr" for end in ("c", "cpp") for p in glob.glob(os.path.join(CASES, f"{kind}_*.{end}")))


def habits():
    """(file, line, rule) with `!`, and with `right`"""
    wrong, right = set(), set()
    for path in habit_sources():
        for number, line in enumerate(lines_of(path), 1):
            comment = re.search(r"/\* ((?:!|right) .*?) \*/", line)
            for sign, rule in HABIT.findall(comment.group(1)) if comment else []:
                (wrong if sign == "!" else right).add((path, number, rule))
    return wrong, right


HEADERS = "".join(f"#include <{name}.h>\n" for name in (
    "fcntl", "pthread", "semaphore", "signal", "stdio", "stdlib", "string", "sys/queue", "sys/socket", "unistd"))
# what examples use; each has its own
DECLARATIONS = """
struct job { int peer, references; TAILQ_ENTRY(job) entry; };
static TAILQ_HEAD(queue, job) jobs;
static struct job table[8];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static sem_t slots;
static int ready, count;
static char *shared;
extern int run(int);
extern struct job *new_job(int);
static void *serve(void *p) { sem_post(&slots); return p; }
"""
NAMES = ("job queue jobs table mutex changed thread slots ready count shared serve run new_job listen_to start_all wait_until_ready tell add find "
         "get safe stop work start end handle").split()


def examples(rules):
    """What --explain shows of each rule is told, and not told: all in one source, with names of their own."""
    source, at = HEADERS, {}
    for title in ("Told", "Not told"):
        for rule in rules:
            code = re.search(rf"^{title}:\n((?:\n|    .*\n)+)", lint("--explain", rule)[1], re.M)
            names = "".join(f"#undef {n}\n#define {n} {n}_{len(at)}\n" for n in NAMES)
            source += names + DECLARATIONS
            first = source.count("\n") + 1
            source += code.group(1) if code else ""
            at[title, rule] = range(first, source.count("\n") + 1)
    write("examples.c", source)
    commands([os.path.join(TMP, "examples.c")], TMP)
    _, doc = document("--rules", "all")
    found = {(f["line"], f["rule"]) for f in doc["findings"] if f["state"] == "new"}
    for rule in rules:
        told = [title for title in ("Told", "Not told") if any((line, rule) in found for line in at[title, rule])]
        case(f"the examples of {rule} are what they say", told == ["Told"], told)


def habit_verdicts():
    wrong, right = habits()
    commands(habit_sources(), TMP)
    status, doc = document("--rules", "all")
    found = {(f["file"], f["line"], f["rule"]): f for f in doc["findings"] if f["state"] == "new"}
    case("habits are status 1", status == 1, doc.get("error"))
    for path, line, rule in sorted(wrong):
        case(f"{os.path.basename(path)}:{line} is {rule}", (path, line, rule) in found)
    others = [f"{os.path.basename(path)}:{line} {rule}: {found[path, line, rule]['message']}" for path, line, rule in sorted(set(found) - wrong)]
    case("nothing else is found there", not others, "\n".join(others))
    rules = {row.split()[0] for row in lint("--explain")[1].splitlines()} - {"unbounded-threads", "unbounded-threads-possible"}
    case("each rule has a case of both verdicts", rules and rules == {w[2] for w in wrong} == {r[2] for r in right},
         rules ^ {w[2] for w in wrong} | rules ^ {r[2] for r in right})
    bad = [row for row in rules if "What to do: " not in lint("--explain", row)[1]]
    case("each rule is explained", not bad, bad)
    examples(sorted(rules | {"unbounded-threads", "unbounded-threads-possible"}))


# ---- paths ----

def is_call(text, callee, may):
    """Whether the text calls it: by its name, or as what is declared; through a pointer, anything."""
    name = callee.split("::")[-1].split("<")[0]
    if name in ("thread", "jthread") or name.startswith("lambda in "):
        return re.search(r"\bj?thread\b", text) or name.startswith("lambda in ")
    return re.search(r"[\w\])]\s*\(" if may else rf"\b{re.escape(name)}\s*(<[^()]*>)?\s*[({{]", text)


def walk(finding):
    """Why the path does not lead from the loop to the creation; None: it does."""
    around, callee = [], None
    for place in finding["path"]:
        if place["kind"] == "why":
            continue
        if callee and place["function"] != callee:
            return f"the {place['kind']} is in {place['function']}, not in {callee}, which was called"
        if place["kind"] == "loop":
            around.append(place)
            continue
        text = lines_of(place["file"])[place["line"] - 1:place["line"] + 2]
        if not is_call("\n".join(text), place["callee"], place["may"]):
            return f"line {place['line']} does not call {place['callee']}"
        for loop in around:
            if loop["function"] != place["function"] or not loop["line"] <= place["line"] <= loop["last"]:
                return f"the call in line {place['line']} is not in the loop of lines {loop['line']} to {loop['last']}"
        callee, around = place["callee"], []
    return None if callee and not around else "no call"


def paths(findings):
    bad = [f"{f['file']}:{f['line']}: {walk(f)}" for f in findings if walk(f)]
    case("every path that is told can be walked again", findings and not bad, "\n".join(bad))
    case("there are paths with two loops around a call, and through pointers",
         any("loop,loop,call" in ",".join(p["kind"] for p in f["path"] if p["kind"] != "why") for f in findings) and any(f["may"] for f in findings))
    tornado = next((f for f in findings if f["function"] == "run" and f["file"].endswith("tornado.c")), None)
    chain = [p["callee"] for p in tornado["path"] if p["kind"] == "call"] if tornado else None
    case("the chain of the Tornado case", chain == ["spawn", "add", "pthread_create"], chain)


# ---- choices ----

def false_positives():
    def unbounded(*words):
        _, doc = document(*THREADS, *words)
        return {os.path.basename(f["file"]) for f in doc["findings"] if f["state"] == "new" and os.path.basename(f["file"]).startswith("f_")}
    six, nine = unbounded("--patterns", "1-6"), unbounded("--patterns", "1-6,9")
    case("the six patterns alone have three known false positives", six == {"f_configured.c", "f_iterator.c", "f_load.c"}, six)
    case("pattern 9 takes back the configured one, and no other", six - nine == {"f_configured.c"} and not nine - six, nine)


def limits():
    place = {mark[1]: place for place, mark in marks().items() if mark[1] in ("calls", "loops")}
    table = {}
    for option in ("calls", "loops"):
        for number in (2, 3, 4):
            _, doc = document(*THREADS, f"--{option}", str(number))
            table[option, number] = {(f["file"], f["line"]) for f in doc["findings"] if f["state"] == "new"}
    case("a loop four calls above is missed with --calls 3 and found with 4",
         place["calls"] not in table["calls", 3] and place["calls"] in table["calls", 4])
    case("the third loop is missed with --loops 2 and found with 3",
         place["loops"] not in table["loops", 2] and place["loops"] in table["loops", 3])
    _, doc = document(*THREADS)
    case("the defaults are 3 calls and 2 loops", (doc.get("calls"), doc.get("loops")) == (3, 2))


def bench():
    """bench/lint makes the table of limits by itself."""
    commands(sorted({place[0] for place in marks()}), TMP)
    done = subprocess.run([os.path.join(ROOT, "bench", "lint"), os.path.dirname(HEDDLE), TMP], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=300, check=False)
    cells = [cell.strip() for cell in done.stdout.splitlines()[-1].strip("| ").split("|")] if done.stdout else []
    counts, seconds = r"\d+/\d+/\d+", r"[\d.]+/[\d.]+/[\d.]+"
    good = len(cells) == 11 and all(map(re.fullmatch, (counts, seconds, counts, seconds), cells[7:]))
    case("bench/lint makes a row of findings and seconds by calls and loops", good, done.stdout)
    _, doc = document("--rules", "unbounded-threads")
    new = sum(f["state"] == "new" for f in doc["findings"])
    case("it counts loops, and no habits", good and cells[6] == str(new) and new > 0, (cells, new))


def own_names():
    source = os.path.join(CASES, "user_names.c")
    status, doc = document("--", "cc", source)
    case("without their names nothing is seen", status == 0 and not doc["findings"], doc)
    status, doc = document(*THREADS, "--patterns-file", os.path.join(CASES, "user_names.txt"), "--", "cc", source)
    found = {(f["file"], f["line"]): f for f in doc["findings"]}
    for place, mark in marks().items():
        if mark[0] == "named":
            check_mark(place, (None, *mark[1:]), found.get(place))
    case("a finding by names of one's own is status 1", status == 1)
    with open(os.path.join(TMP, "bad.txt"), "w", encoding="utf-8") as file:
        file.write("# mine\nthreads u_spawn\n")
    status, out, err = lint("--patterns-file", "bad.txt", "--", "cc", source)
    case("a word that is none is one line with its place", status == 2 and err.startswith("heddle: bad.txt:2: ") and err.count("\n") == 1, err)


def methods():
    """A method of one's own that creates, whatever it returns; a constructor without arguments does not."""
    write("method.txt", "thread W::start\nthread W::W\n")
    for kind in ("void", "int"):
        write("method.cpp", f"#include <sys/socket.h>\nstruct W {{ W(); {kind} start(); }};\nvoid serve(W &w)\n{{\n  for (;;) {{\n    accept(3, 0, 0);\n"
              "    W other;\n    w.start();\n  }\n}\n")
        status, out, _ = lint("--patterns-file", "method.txt", "--", "c++", "method.cpp")
        case(f"{kind} W::start() creates, and W::W() does not", status == 1 and out.count("warning") == 1 and "calls W::start()" in out, out)


def pointers():
    status, doc = document("--direct-only", "--", "cc", os.path.join(CASES, "l_pointer.c"))
    case("--direct-only does not follow pointers", status == 0 and not doc["findings"], doc)
    status, out, _ = lint(*THREADS, "--", "cc", os.path.join(CASES, "l_pointer.c"))
    case("what may be called is said so", status == 1 and "may call starts() through a pointer" in out, out)


# ---- what counts ----

SERVER = """#include <pthread.h>
#include <sys/socket.h>
static void *work(void *x) { return x; }
void serve(void)
{
  pthread_t t;
  for (;;) {%s
    accept(3, 0, 0);
    pthread_create(&t, 0, work, 0);
  }
}
"""


def write(name, text):
    with open(os.path.join(TMP, name), "w", encoding="utf-8") as file:
        file.write(text)


def suppressed():
    for comment, status in [("", 1), (" // heddle-lint: ignore", 0), (" /* heddle-lint: ignore unbounded-threads */", 0),
                            (" // heddle-lint: ignore unbounded-files", 1), (" // heddle-lint: ignore unbounded_threads", 1)]:
        write("server.c", SERVER % comment)
        got, out, err = lint("--", "cc", "server.c")
        case(f"a comment '{comment.strip()}' is status {status}", got == status, out + err)
        case(f"the sum of '{comment.strip()}' says what is suppressed", ("0 findings; 0 loops with a bound; 1 suppressed; 1 source read" in out) == (not got), out)
        says = "server.c:7: there is no rule unbounded_threads to ignore" in err and err.count("\n") == 1
        case(f"a comment '{comment.strip()}' is {'told' if '_' in comment else 'not told'} as wrong", says if "_" in comment else not err, err)


def same_names():
    """Files of one name are told apart, and known wherever the project is."""
    for place in ("here", "there"):
        for folder in ("a", "b"):
            os.makedirs(os.path.join(TMP, place, folder))
            write(f"{place}/{folder}/util.c", SERVER % "" if folder == "a" or place == "there" else "int nothing;\nvoid x(void) { }\n")
        commands(sorted(glob.glob(os.path.join(TMP, place, "*", "*.c"))), os.path.join(TMP, place))
    os.makedirs(os.path.join(TMP, "there", ".git"))
    lint("-p", "there", "--write-baseline", "known.txt")
    status, out, _ = lint("--baseline", os.path.join(TMP, "known.txt"), "--", "cc", "util.c", folder=os.path.join(TMP, "there", "b"))
    case("a file is known in its work tree, whatever else is read", status == 0 and "1 in the baseline" in out, out)
    shutil.rmtree(os.path.join(TMP, "there", ".git"))
    lint("-p", "here", "--write-baseline", "known.txt")
    status, out, _ = lint("-p", "there", "--baseline", "known.txt")
    case("a file of the same name in another folder is another one", status == 1 and out.count("warning:") == 1 and "there/b/util.c:7: warning" in out, out)


def baseline():
    write("server.c", SERVER % "")
    status, _, err = lint("--write-baseline", "known.txt", "--", "cc", "server.c")
    case("a baseline is written", status == 1 and os.path.exists(os.path.join(TMP, "known.txt")), err)
    write("server.c", "/* moved */\n\n" + SERVER % "")
    status, out, _ = lint("--baseline", "known.txt", "--", "cc", "server.c")
    case("what the baseline has is no reason to fail, wherever it moved", status == 0 and "warning" not in out, out)
    write("server.c", SERVER % "" + SERVER.replace("serve", "other").replace("work", "job") % "")
    status, out, _ = lint("--baseline", "known.txt", "--", "cc", "server.c")
    case("the sum says how many the baseline has", "1 finding; 0 loops with a bound; 1 in the baseline; 1 source read" in out, out)
    case("a new finding is", status == 1 and out.count("warning:") == 1 and "other() calls" in out, out)
    twice = SERVER.replace("serve", "twice").replace("work", "other") % ""
    loop = twice[twice.index("  for"):twice.rindex("}")]
    write("server.c", twice)
    lint("--write-baseline", "known.txt", "--", "cc", "server.c")
    write("server.c", twice.replace(loop, loop + loop))
    status, out, _ = lint("--baseline", "known.txt", "--", "cc", "server.c")
    case("of what a function has once more, one is new", status == 1 and out.count("warning:") == 1, out)
    same_names()
    status, _, err = lint("--baseline", "server.c", "--", "cc", "server.c")
    case("what is no baseline is one clear line", status == 2 and err.count("\n") == 1 and "server.c:1:" in err, err)


def git(*words, folder):
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def removed(folder):
    """A line that went shows at lines that stayed: in its function, and in no other."""
    kept = "    pthread_mutex_unlock(&mutex);\n    return -1;\n"
    whole = MENDED[MENDED.index("int adds"):].replace("    return -1;\n", "  {\n" + kept + "  }\n")
    head = "#include <pthread.h>\nstatic pthread_mutex_t mutex;\nstatic int total, spare;\n"
    other = whole.replace("adds(", "others(").replace(kept, kept.split("\n")[1] + "\n")
    path = os.path.join(folder, "kept.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + whole + other)
    git("add", "kept.c", folder=folder)
    git("commit", "-qm", "kept", folder=folder)
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + whole.replace(kept, kept.split("\n")[1] + "\n") + other)
    status, out, _ = lint("-q", "--rules", "lock-kept", "--diff", "HEAD", "--", "cc", "kept.c", folder=folder)
    case("--diff: a release that was removed is told, in its function alone", status == 1 and out.count("warning:") == 1 and "adds()" in out, out)
    with open(path, "w", encoding="utf-8") as file:
        file.write(head.replace(", spare", "") + whole + other)
    status, out, _ = lint("-q", "--rules", "lock-kept", "--diff", "HEAD", "--", "cc", "kept.c", folder=folder)
    case("--diff: what was removed elsewhere is about none", status == 0 and not out, out)


def changed():
    folder = os.path.join(TMP, "repository")
    os.mkdir(folder)
    path = os.path.join(folder, "server.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SERVER % "")
    git("init", "-q", folder=folder)
    git("add", "server.c", folder=folder)
    git("commit", "-qm", "first", folder=folder)
    status, out, err = lint("--diff", "HEAD", "--", "cc", "server.c", folder=folder)
    case("--diff: nothing was changed", status == 0 and "warning" not in out, out + err)
    with open(path, "a", encoding="utf-8") as file:
        file.write(SERVER.replace("serve", "other").replace("work", "job") % "")
    status, out, _ = lint("--diff", "HEAD", "--", "cc", "server.c", folder=folder)
    case("--diff: what was added is told, and nothing else", status == 1 and out.count("warning:") == 1 and "other() calls" in out, out)
    removed(folder)
    status, _, err = lint("--diff", "nothing", "--", "cc", "server.c", folder=folder)
    case("--diff: a revision that is not there is one line", status == 2 and err.count("\n") == 1, err)


# ---- documents ----

def check_schema(log, name):
    schema = os.path.join(ROOT, "tests", "schema", "sarif-2.1.0-subset.schema.json")
    try:
        import jsonschema
    except ImportError:
        return
    with open(schema, encoding="utf-8") as file:
        errors = [error.message for error in jsonschema.Draft7Validator(json.load(file)).iter_errors(log)]
    case(name, not errors, errors)


def documents():
    write("server.c", SERVER % "")
    status, out, _ = lint("--sarif", "-", "--", "cc", "server.c")
    log = json.loads(out)
    result = log["runs"][0]["results"][0]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    places = [s["location"]["physicalLocation"]["region"]["startLine"] for s in steps]
    case("SARIF has the path as a flow", status == 1 and result["ruleId"] == "unbounded-threads" and places == [7, 9], places)
    case("SARIF has the rules", [r["id"] for r in log["runs"][0]["tool"]["driver"]["rules"]][0] == "unbounded-threads")
    check_schema(log, "SARIF keeps its schema")
    status, out, _ = lint("--", "cc", "server.c")
    case("lines are a compiler's", "server.c:7: warning: thread creation in a loop without bound [unbounded-threads]\n" in out
         and "server.c:9: note: serve() calls pthread_create()\n" in out, out)
    status, out, _ = lint("--explain", "unbounded-threads")
    case("--explain says what a rule means", status == 0 and "semaphore" in out, out)
    status, out, _ = lint("--explain")
    case("--explain lists the rules", status == 0 and "unbounded-processes" in out, out)
    case("--explain keeps its columns", len({re.match(r"\S+ +(?=on |off )", row).end() for row in out.splitlines()}) == 1, out)
    status, out, _ = lint("--explain", "patterns")
    case("--explain patterns has the ten patterns", status == 0 and re.findall(r"^ +(\d+)  \w", out, re.M) == [str(i) for i in range(1, 11)], out)
    status, out, _ = lint("--explain", "words")
    case("--explain words has the words of a patterns file", status == 0 and re.search(r"^  cond-wait  ", out, re.M), out)


MENDED = """#include <pthread.h>
static pthread_mutex_t mutex;
static pthread_cond_t changed;
static int ready, total;
void waits(void)
{
  pthread_mutex_lock(&mutex);
  if (!ready)
    pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}
int adds(int more)
{
  pthread_mutex_lock(&mutex);
  if (more < 0)
    return -1;
  total += more;
  pthread_mutex_unlock(&mutex);
  return 0;
}
"""


def fixes():
    habits_only = ("--rules", "wait-outside-loop,lock-kept")
    write("mended.c", MENDED)
    status, out, _ = lint("-q", *habits_only, "--", "cc", "mended.c")
    case("what is certain is shown as a diff", status == 1 and "+  while (!ready)\n" in out and
         "+    { pthread_mutex_unlock(&mutex); return -1; }\n" in out, out)
    with open(os.path.join(TMP, "mended.c"), encoding="utf-8") as file:
        case("nothing is changed", file.read() == MENDED)
    subprocess.run(["patch", "-p1", "-s"], input=out, text=True, cwd=TMP, check=False)
    status, out, _ = lint(*habits_only, "--", "cc", "mended.c")
    case("with it nothing is found any more", status == 0, out)
    write("mended.c", MENDED)
    _, out, _ = lint("--sarif", "-", *habits_only, "--", "cc", "mended.c")
    results = json.loads(out)["runs"][0]["results"]
    texts = [r["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"] for r in results if "fixes" in r]
    case("SARIF has it", len(texts) == 2 and "  while (!ready)" in texts, texts)
    kept = next(r for r in results if r["ruleId"] == "lock-kept")
    steps = [s["location"]["message"]["text"] for s in kept["codeFlows"][0]["threadFlows"][0]["locations"]]
    case("a habit has its code flow", len(steps) == 3 and steps[1:] == ["it is taken here", "and released here, on another path"], steps)
    check_schema(json.loads(out), "SARIF of habits keeps its schema")
    write("mended.c", MENDED.replace("if (!ready)", "if (!ready) // für 🧵"))
    _, out, _ = lint("--sarif", "-", *habits_only, "--", "cc", "mended.c")
    regions = [r["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"] for r in json.loads(out)["runs"][0]["results"] if "fixes" in r]
    case("SARIF counts columns as it says", regions[0]["endColumn"] == 24 and json.loads(out)["runs"][0]["columnKind"] == "utf16CodeUnits", regions)


def other_rules():
    write("forks.c", "#include <unistd.h>\n#include <sys/socket.h>\nint main(void)\n{\n  for (;;) {\n    int fd = accept(3, 0, 0);\n"
          "    if (fork() == 0)\n      _exit(fd);\n  }\n}\n")
    status, out, _ = lint("--", "cc", "forks.c")
    case("processes are another rule, which is off", status == 0, out)
    status, out, _ = lint("--rules", "unbounded-processes", "--", "cc", "forks.c")
    case("it can be turned on", status == 1 and "process creation in a loop without bound [unbounded-processes]" in out, out)


# ---- how sources are found ----

def sources():
    write("server.c", SERVER % "" + "int main(void) { return 0; }\n")
    built = subprocess.run([HEDDLE, "cc", "server.c", "-Wl,--unresolved-symbols=ignore-all", "-o", "server"], cwd=TMP, check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    status, out, err = lint("server")
    case("a program that heddle cc built knows its sources", status == 1 and "server.c:7: warning" in out, built.stdout + out + err)
    os.makedirs(os.path.join(TMP, "project", "src"))
    commands([os.path.join(TMP, "server.c")], os.path.join(TMP, "project"))
    status, out, err = lint(folder=os.path.join(TMP, "project", "src"))
    case("compile_commands.json is looked for upwards", status == 1 and "server.c:7: warning" in out, out + err)
    status, doc = document("-p", os.path.join(TMP, "project"))
    case("what did not change is not read again", doc.get("cached") == 1, doc)
    write("server.c", SERVER % "" + "int more;\nint main(void) { return 0; }\n")
    status, doc = document("-p", os.path.join(TMP, "project"))
    case("what changed is", doc.get("cached") == 0 and status == 1, doc)
    for path in glob.glob(os.path.join(TMP, "cache", "heddle", "lint", "*")):
        with open(path, "r+b") as file:
            file.seek(60)
            file.write(b"damaged!")
    status, doc = document("-p", os.path.join(TMP, "project"))
    case("facts that are damaged are read again", doc.get("cached") == 0 and status == 1, doc)


def two_folders_of_headers():
    """What -include names is in the current folder, or where headers are."""
    os.makedirs(os.path.join(TMP, "forced", "inc"))
    write("forced/inc/conf.h", "#define ROUNDS for (;;)\n")
    write("forced/forced.c", SERVER.replace("for (;;)", "ROUNDS") % "")
    for words in (["-Iinc", "-include", "conf.h"], ["-include", "inc/conf.h"]):
        status, out, err = lint("--", "cc", *words, "forced.c", folder=os.path.join(TMP, "forced"))
        case(f"{' '.join(words)} is found", status == 1 and "forced.c:7: warning" in out and not err, out + err)


def two_ways():
    """A source that is compiled in two ways is read in both, unless these mean the same to it."""
    os.makedirs(os.path.join(TMP, "ways"))
    two = "".join(f"#ifdef {name}\n" + SERVER.replace("serve", name.lower()) % "" + "#endif\n" for name in ("ONE", "TWO"))
    write("ways/ways.c", two)
    path = os.path.join(TMP, "ways", "ways.c")
    for rows, wanted in [((["-DONE"], ["-DTWO"]), {"one", "two"}), ((["-DONE", "-O1"], ["-DONE", "-fPIC", "-DPIC", "-Dways_EXPORTS"]), {"one"})]:
        write("ways/compile_commands.json", json.dumps([{"directory": os.path.dirname(path), "file": path, "arguments": ["cc", *words, path]} for words in rows]))
        _, doc = document("-p", "ways")
        found = {f["function"] for f in doc["findings"]}
        case(f"a source with {' and with '.join(map(' '.join, rows))} is read {len(wanted)} times", found == wanted and doc["units"] == len(wanted), (found, doc))


def lost():
    """A source that libclang dies of is lost: nothing that was found is no answer then. The time may be up before all is looked at."""
    deep = "int deep(int x)\n{\n  " + "".join(f"if (x == {i}) return {i};\n  else " for i in range(20000)) + "return 0;\n}\n"
    os.makedirs(os.path.join(TMP, "lost"))
    write("lost/deep.c", deep)
    write("lost/good.c", "void good(void) { }\n")
    commands([os.path.join(TMP, "lost", name) for name in ("good.c", "deep.c")], os.path.join(TMP, "lost"))
    status, out, err = lint("--sarif", "log.sarif", "-p", "lost")
    case("a lost source is cannot say", status == 3 and "1 source read, 1 lost" in out and "1 source could not be read" in err, (status, out, err))
    with open(os.path.join(TMP, "log.sarif"), encoding="utf-8") as file:
        log = json.load(file)
    notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    case("SARIF says what was lost", [n["level"] for n in notes] == ["error"] and "deep.c" in notes[0]["message"]["text"], notes)
    check_schema(log, "SARIF of what was lost keeps its schema")
    write("lost/good.c", SERVER % "")
    status, doc = document("-p", "lost")
    case("what was found stays found", status == 1 and [n["kind"] for n in doc["notices"]] == ["lost"], doc)
    write("lost/only.S", "nop\n")
    commands([os.path.join(TMP, "lost", "only.S")], os.path.join(TMP, "lost"))
    status, out, err = lint("-p", "lost")
    case("assembly alone is cannot say", status == 3 and not out and err == "heddle: there is no source of C or C++ among the commands\n", out + err)


def time_is_up():
    """All is in the cache, and there is no time to look at it."""
    os.makedirs(os.path.join(TMP, "timed"))
    for i in range(300):
        write(f"timed/s{i}.c", SERVER % "")
    commands(glob.glob(os.path.join(TMP, "timed", "*.c")), os.path.join(TMP, "timed"))
    status, doc = document("-p", "timed")
    found = len(doc["findings"])
    status, out, err = lint("-p", "timed", "--time", "1ms")
    case("cached sources that nobody had time for are not called clean", found == 300 and status == 3 and "the time was up" in err, (found, status, out, err))


def given_up():
    """More than there is room for is said, and what is cut looks so."""
    locked = "int large(int x)\n{\n  pthread_mutex_lock(&mutex);\n" + "".join(f"  if (x == {i})\n    goto l{i};\n" for i in range(40)) + \
        "  if (x < 0)\n    return -1;\n" + "".join(f"l{i}:\n  x++;\n" for i in range(40)) + "  pthread_mutex_unlock(&mutex);\n  return 0;\n}\n"
    write("large.c", "#include <pthread.h>\nstatic pthread_mutex_t mutex;\n" + locked + locked.replace("large", "larger"))
    status, out, err = lint("--rules", "lock-kept", "--sarif", "log.sarif", "--", "cc", "large.c")
    case("functions that are too large are told", "2 functions were too large to follow: large() in" in err and "larger() in" in err and err.count("\n") == 1, err)
    with open(os.path.join(TMP, "log.sarif"), encoding="utf-8") as file:
        notes = json.load(file)["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    case("SARIF says which", [n["level"] for n in notes] == ["warning", "warning"], notes)
    write("returns.c", "#include <pthread.h>\nstatic pthread_mutex_t mutex;\nint returns(int x)\n{\n  pthread_mutex_lock(&mutex);\n" + "".join(
        f"  if (x == {i}) {{\n    pthread_mutex_unlock(&mutex);\n    return {i};\n  }}\n" for i in range(70)) +
          "  if (x < 0)\n    return -1;\n  pthread_mutex_unlock(&mutex);\n  return 0;\n}\n")
    _, doc = document("--rules", "lock-kept", "--", "cc", "returns.c")
    case("so are those with more returns than there is room for", [n["kind"] for n in doc["notices"]] == ["large"], doc)
    parts = " && ".join(f"some_condition_that_is_quite_long({i}) > {i}" for i in range(30))
    write("cut.c", "int some_condition_that_is_quite_long(int);\n" + (SERVER % "").replace("    pthread_create", f"    if ({parts})\n      pthread_create"))
    _, doc = document(*THREADS, "--", "cc", "cut.c")
    found = doc["findings"][0] if doc["findings"] else {"condition": "", "path": []}
    case("a condition that is cut ends in ...", found["condition"].endswith("...") and len(found["condition"]) > 500, found)
    case("parts that are left out are said to be", "nor is any of its other parts" in [p["text"] for p in found["path"]], found)


def missing_header():
    write("late.c", '#include "late.h"\n' + (SERVER % "").replace("for (;;)", "while (LATE)"))
    os.makedirs(os.path.join(TMP, "late"))
    commands([os.path.join(TMP, "late.c")], os.path.join(TMP, "late"))
    _, out, _ = lint("-p", os.path.join(TMP, "late"))
    case("a source with an error is said not to be whole", "1 source read, 1 of them not whole" in out, out)
    write("late.h", "#define LATE 1\n")
    status, out, err = lint("-p", os.path.join(TMP, "late"))
    case("a header that was missing is read once it is there", status == 1 and "late.c:8: warning" in out and not err, out + err)

    write("generated.cpp", '#include "made/first.h"\n#include <made-second.h>\n#include <vector>\n#include "made/first.h"\n' + SERVER % "")
    status, out, err = lint(*THREADS, "--", "c++", "-I.", "generated.cpp")
    case("what a source has besides headers that are missing is read", status == 1 and "generated.cpp:11: warning" in out and
         "generated.cpp:1: error: 'made/first.h' file not found" in err, out + err)
    _, doc = document(*THREADS, "--", "c++", "-I.", "generated.cpp")
    case("what lacks a header is not read again", doc.get("cached") == 1, doc)
    os.makedirs(os.path.join(TMP, "made"))
    write("made/first.h", "#define accept(a, b, c) 0\n")
    status, doc = document(*THREADS, "--", "c++", "-I.", "generated.cpp")
    case("nor found in what has come since, though another one is missing", doc.get("cached") == 0 and
         [f["rule"] for f in doc["findings"]] == ["unbounded-threads-possible"], doc)
    os.makedirs(os.path.join(TMP, "forced"))
    write("forced/forced.c", SERVER % "")
    forced = [*THREADS, "-p", os.path.join(TMP, "forced")]
    with open(os.path.join(TMP, "forced", "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump([{"directory": os.path.join(TMP, "forced"), "file": "forced.c",
                    "arguments": ["cc", "-include", "forced.h", "-include", "/dev/null", "-c", "forced.c"]}], file)
    _, out, err = lint(*forced)
    case("a header of the command line is missing", err == "heddle: error: 'forced.h' file not found\n" and "unbounded-threads" in out, out + err)
    write("forced/forced.h", "#define accept(a, b, c) 0\n")
    _, doc = document(*forced)
    case("and read when it has come to the command's folder", [f["rule"] for f in doc["findings"]] == ["unbounded-threads-possible"], doc)
    write("odd.c", '#include "../no/such/../header.h"\n' + SERVER % "")
    status, out, err = lint(*THREADS, "--", "cc", "odd.c")
    case("nor is a header of an odd name a reason to stop", status == 1 and "file not found" in err, out + err)


def other_system():
    """A system's headers elsewhere, as cross compilers are told of them."""
    os.makedirs(os.path.join(TMP, "board", "usr", "include"), exist_ok=True)
    write("board/usr/include/board.h", "#define ROUNDS for (;;)\n")
    write("on_board.c", "#include <board.h>\n" + SERVER.replace("for (;;)", "ROUNDS") % "")
    for words in (["--sysroot=board"], ["--sysroot", os.path.join(TMP, "board")]):
        status, out, err = lint("--", "cc", *words, "-idirafter", "/usr/include", "-idirafter", f"/usr/include/{os.uname().machine}-linux-gnu", "on_board.c")
        case(f"a header below {words} is found", status == 1 and "on_board.c:8: warning" in out and not err, out + err)


def two_programs():
    """A name that two programs in one database define: the loop of one calls its own."""
    for folder, body in [("one", "static void *w(void *x) { return x; }\nvoid go(void) { pthread_t t; pthread_create(&t, 0, w, 0); }\n"),
                         ("two", "void go(void) { }\n")]:
        os.makedirs(os.path.join(TMP, "both", folder))
        write(f"both/{folder}/go.c", "#include <pthread.h>\n" + body)
        write(f"both/{folder}/main.c", "void go(void);\nvoid all_%s(void)\n{\n  for (;;)\n    go();\n}\n" % folder)
    commands(sorted(glob.glob(os.path.join(TMP, "both", "*", "*.c"))), os.path.join(TMP, "both"))
    _, doc = document(*THREADS, "-p", os.path.join(TMP, "both"))
    found = [f["function"] for f in doc["findings"]]
    case("a call means the definition that is next to it", found == ["all_one"], found)


def static_names():
    """Static functions of one name, in files of one name: each is its own."""
    for folder, text in (("client", "#include <string.h>\nstatic void report(void) { strtok(0, \"\"); }\nvoid one(void) { report(); }\n"),
                         ("server", "#include <pthread.h>\nstatic void report(void) { }\nstatic void *run(void *x) { report(); return x; }\n"
                                    "void two(void) { pthread_t t; for (int i = 0; i < 2; i++) pthread_create(&t, 0, run, 0); }\n")):
        os.makedirs(os.path.join(TMP, "statics", folder))
        write(f"statics/{folder}/main.c", text)
    commands(sorted(glob.glob(os.path.join(TMP, "statics", "*", "*.c"))), os.path.join(TMP, "statics"))
    status, out, _ = lint("--rules", "one-thread-function", "-p", os.path.join(TMP, "statics"))
    case("a static function is not the one of another program's file of the same name", status == 0 and "strtok" not in out, out)


def of_tests():
    """The same server is told, unless it is in a folder of tests below that of the program."""
    for folder in ("of_tests", "of_tests/src", "of_tests/tests"):
        os.makedirs(os.path.join(TMP, folder))
    write("of_tests/src/server.c", SERVER % "")
    write("of_tests/tests/server.c", (SERVER % "").replace("serve(", "try_it("))
    write("of_tests/src/test-server.c", (SERVER % "").replace("serve(", "try_by_name("))
    write("of_tests/src/latest.c", (SERVER % "").replace("serve(", "serve_latest("))
    commands(sorted(glob.glob(os.path.join(TMP, "of_tests", "*", "*.c"))), os.path.join(TMP, "of_tests"))
    _, doc = document(*THREADS, "-p", os.path.join(TMP, "of_tests"))
    found = {(f["function"], f["rule"]) for f in doc["findings"]}
    case("what a test creates nobody outside decides", found == {
        ("serve", "unbounded-threads"), ("serve_latest", "unbounded-threads"), ("try_it", "unbounded-threads-possible"),
        ("try_by_name", "unbounded-threads-possible")}, found)
    _, doc = document(*THREADS, "--", "cc", "-c", os.path.join(TMP, "of_tests/src/test-server.c"))
    case("a test alone is a program", [f["rule"] for f in doc["findings"]] == ["unbounded-threads"], doc["findings"])


def many_parts():
    """A parser of options with thousands of guards: each part of the condition is asked for macros, which is not to be dear."""
    guards = "".join(f"    if (IS(word, {i}) && seen[{i}] > limit) {{ seen[{i}] = BUMP(limit); return; }}\n" for i in range(6000))
    write("options.c", "#include <fcntl.h>\n#include <unistd.h>\nint next_word(void);\nint seen[6000], limit;\n"
          "#define IS(a, b) ((a) == (b))\n#define BUMP(x) ((x) + 1)\nvoid parse(void)\n{\n  for (;;) {\n    int word = next_word();\n" +
          guards + "    open(\"x\", O_RDONLY);\n  }\n}\n")
    try:
        status, doc = document("--rules", "unbounded-files", "--", "cc", "options.c")
        case("thousands of guards are judged", status == 1 and [f["function"] for f in doc["findings"]] == ["parse"], doc)
    except subprocess.TimeoutExpired:
        case("thousands of guards are judged", False, "not within the time")


def many_errors():
    """Headers that are missing make thousands of errors, which are not to be dear either."""
    write("errors.c", '#include "no-such-header.h"\n' + SERVER % "" +
          "".join(f"extern int number_{i};\nextern double number_{i};\n" for i in range(30000)))  # each with a note
    try:
        status, out, err = lint(*THREADS, "--no-cache", "--", "cc", "errors.c")
        case("thousands of errors are passed over", status == 1 and err.count("\n") == 1, out + err)
    except subprocess.TimeoutExpired:
        case("thousands of errors are passed over", False, "it does not end")


def bad_input():
    write("broken.c", "#include \"nowhere.h\"\nint x = ;\nvoid f(void) { }\n")
    status, out, err = lint("--", "cc", "broken.c")
    case("an error in a source is said, and the rest is read", status == 0 and "nowhere.h" in err and err.count("\n") == 1, out + err)
    for words, says in [(["nowhere"], "is not there"), (["--", "cc"], "names no source"), (["-p", "."], "has no compile_commands.json"),
                        (["--calls", "x", "a.c"], "--calls takes a number"), (["--rules", "x", "a.c"], "there is no rule x"),
                        (["--patterns", "0-3", "a.c"], "--patterns takes numbers"), (["--explain", "x"], "there is no rule x"),
                        (["server.c", "-q"], "options come before")]:
        status, out, err = lint(*words)
        case(f"heddle lint {' '.join(words)} is one line", status == 2 and says in err and err.count("\n") == 1, out + err)


def interrupted():
    """A source that takes long: the reader is ended with us."""
    write("slow.c", "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(x))))\nint f(int i) {\n" +
          "B(i += 1; i -= 2; if (i) i++;)\n" * 40 + "return i; }\n")
    process = subprocess.Popen([HEDDLE, "lint", "--no-cache", "--", "cc", "slow.c"], cwd=TMP, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    try:
        process.wait(0.3)
        case("the slow source is slow", False, process.communicate())
        return
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    case("Ctrl-C ends it with status 3 and one line", process.returncode == 3 and err == "heddle: interrupted\n", (process.returncode, out, err))


def main():
    os.environ["XDG_CACHE_HOME"] = os.path.join(TMP, "cache")
    all_sources = sorted({place[0] for place in marks()})
    commands(all_sources, TMP)
    status, doc = document(*THREADS)
    case("findings are status 1", status == 1, doc.get("error"))
    case("no source was lost", doc.get("lost") == 0)
    verdicts(doc["findings"])
    paths([f for f in doc["findings"] if "loop" in f])
    false_positives()
    limits()
    habit_verdicts()
    bench()
    os.remove(os.path.join(TMP, "compile_commands.json"))
    for part in (own_names, methods, pointers, suppressed, baseline, changed, documents, fixes, other_rules, sources, missing_header, other_system,
                 two_programs, static_names, of_tests, many_parts, many_errors, two_folders_of_headers, two_ways, lost, time_is_up, given_up, bad_input, interrupted):
        part()


if __name__ == "__main__":
    TMP = os.path.realpath(tempfile.mkdtemp(prefix="heddle-lint-"))
    try:
        main()
    finally:
        shutil.rmtree(TMP, ignore_errors=True)
