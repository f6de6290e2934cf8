#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages in a browser: they open from disk without errors, can be stepped through, show what the story tells, and no name
of a program becomes markup.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as chromium  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
EVENTS = 100_000

# Names that would be markup, the end of the script, or no text at all.
ODD = r"""
#define _GNU_SOURCE
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
static int x;
static void *set(void *name)
{
  pthread_setname_np(pthread_self(), name);
  hd_event("</script><b>\"x\"&\xc3\xa9");
  x++; /* </script><script>document.title = 'owned'</script> */
  hd_event("\xff<!--");
  return 0;
}
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, 0, set, "<b>\"x\"&\xc3\xa9");
  pthread_create(&b, 0, set, "\xff<i>");
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(x == 2 && "</script><img src=x onerror='document.title=1'>");
}
"""

MANY = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *count(void *arg)
{
  for (int i = 0; i < %d; i++) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
  }
  return arg;
}
int main(void)
{
  pthread_t a, b;
  pthread_create(&a, 0, count, 0);
  pthread_create(&b, 0, count, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 1);
}
""" % (EVENTS // 8)


def case(name, holds, why=""):
    print(f"{'ok' if holds else 'not ok'} - {name}" + (f" ({why})" if why and not holds else ""), flush=True)
    return holds


def heddle(*words, status=None):
    done = subprocess.run([HEDDLE, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=400, check=False)
    text = done.stdout.decode(errors="replace")
    if status is not None and done.returncode != status:
        print(text)
        raise SystemExit(f"heddle {' '.join(words)}: status {done.returncode}, not {status}")
    return text


def check(name, *options):
    """Looks for the bug of a subject, or of a file here; returns what was said."""
    path = name if name.endswith(".c") else os.path.join(ROOT, "tests", "subjects", name + ".c")
    return heddle("check", *options, path, status=1)


def read(path, mode="r"):
    with open(path, mode) as f:
        return f.read()


# ---- files ----

def test_files():
    said = check("bank_lost_update")
    case("the story names the page", "page     heddle-out/bank_lost_update-1.html" in said, said)
    case("an overview is written", os.path.getsize("heddle-out/index.html") > 1000)
    text = read("heddle-out/bank_lost_update-1.html")
    case("nothing is fetched", not re.search(r"(src|href)=\"?http|@import|url\((?!#)", text))
    for option in ("--no-page", "--quiet"):
        heddle("check", option, "--out", "without", os.path.join(ROOT, "tests", "subjects", "bank_lost_update.c"), status=1)
        case(f"no page with {option}", not [f for f in os.listdir("without") if f.endswith(".html")])
    for name in ("one.html", "two.html"):
        heddle("show", "--run", "--html", name, "heddle-out/bank_lost_update-1.hd", status=0)
    case("show --html writes the same page twice", read("one.html") == read("two.html"))
    said = heddle("show", "--run", "--html", "-", "heddle-out/bank_lost_update-1.hd", status=0)
    case("show --html - writes it to standard output", "<!doctype html>" in said)
    with open("mine.c", "w") as f:
        f.write("int main(void) {}\n")
    said = heddle("show", "--run", "--html", "mine.c", "heddle-out/bank_lost_update-1.hd", status=2)
    case("what is no page is not overwritten", "is no page" in said and read("mine.c").startswith("int main"), said)


# ---- one page ----

def current(b):
    """Position, source line and text of the current step."""
    return b.text("#position"), b.eval("document.querySelector('.line.here')?.dataset.line ?? null"), \
        b.text(".row.current .what")


def test_stepping(b):
    b.open("heddle-out/bank_lost_update-1.html")
    case("it opens from disk without errors", not b.problems, str(b.problems))
    case("the headline is the bug", b.text("h1") == "assertion failed: balance == 50", b.text("h1"))
    position, line, what = current(b)
    case("it begins where it fails", line == "41" and what.startswith("fails"), str((position, line, what)))
    case("the lost update is told", re.fullmatch("T[12]'s update is lost", b.text(".remark") or ""), str(b.text(".remark")))
    case("the preemption is marked", re.fullmatch("T[12] preempted", b.text(".row .switch-mark.preempted") or ""))
    case("memory has who wrote last", re.search(r"balance\s*[78]0\s*T[12]", b.text("#memory")), b.text("#memory"))
    b.key("Home")
    first = current(b)
    case("Home goes to the first step", first[0].startswith("1 of") and first[1] == "25", str(first))
    seen = [first]
    for _ in range(20):
        b.key("ArrowDown")
        if current(b) == seen[-1]:
            break
        seen.append(current(b))
    total = int(first[0].split()[-1])
    case("stepping forward by key visits every step", len(seen) == total and len(set(seen)) == total, str(seen))
    case("and the source follows", [s[1] for s in seen][-1] == "41" and len({s[1] for s in seen}) >= 3, str(seen))
    b.key("k")
    case("a step back by key", current(b) == seen[-2], str(current(b)))
    b.click("#previous")
    case("a step back by the mouse", current(b) == seen[-3], str(current(b)))
    b.click("#next")
    case("a step forward by the mouse", current(b) == seen[-2], str(current(b)))
    b.click(".row[data-k='1'] .card")
    case("a click on a step goes there", current(b) == seen[1], str(current(b)))
    b.key("s")
    case("s goes to the next switch", b.count(".row.current .switch-mark") == 1)


def test_blame(b):
    """The switch to blame stands above all, in words, and what it is about is marked in the lanes."""
    out = heddle("check", "--races", "ignore", "--explain", "--out", "blamed", os.path.join(ROOT, "tests", "subjects", "bank_lost_update.c"))
    b.open("blamed/bank_lost_update-1.html")
    case("blame: no errors", not b.problems, str(b.problems))
    told = b.text("#blame") or ""
    case("the blame is told as on the terminal", all(part in told for part in ("to blame", "switch 2 of", "as if nobody had written", "fix"))
         and "`" not in told and b.count("#blame code") > 0, told + out)
    case("it stands above the sentences", b.eval("document.getElementById('blame').getBoundingClientRect().bottom <= "
                                                 "document.getElementById('sentences').getBoundingClientRect().top"))
    case("the switch to blame is marked, and no other", b.count(".row .switch-mark.blamed") == 1 and "to blame" in b.text(".row .switch-mark.blamed"))
    marked = b.eval("[...document.querySelectorAll('.row .badge')].map(m => m.textContent + m.closest('.row').querySelector('.what').textContent)")
    case("its three accesses are numbered in the lanes", [m[:2] for m in marked] == ["1r", "2w", "3w"], str(marked))
    steps = b.eval("[...document.querySelectorAll('.blamed-step .step')].map(s => s.textContent)")
    b.click("#blame .badge:nth-of-type(2)")
    case("a click on a number goes there", b.text(".row.current .step") == steps[1], str(steps))
    b.key("End")
    b.key("b")
    case("b goes to the switch to blame", b.count(".row.current .switch-mark.blamed") == 1)
    b.open("heddle-out/bank_lost_update-1.html")
    case("without a blame there is no box", not b.eval("document.getElementById('blame').offsetHeight"))
    check("abba_deadlock", "--explain", "--out", "blamed")
    b.open("blamed/abba_deadlock-1.html")
    case("a race says what would order it", "both need the same lock" in (b.open("heddle-out/bank_lost_update-2.html"), b.text("#blame"))[1]
         and "fix:" not in b.text("#sentences"), b.text("#blame"))
    check("pool_lost_task", "--explain", "--races", "ignore", "--out", "blamed")
    b.open("blamed/pool_lost_task-1.html")
    case("a switch that is missing is told, and with which it passes",
         re.search(r"a switch that is missing.*it passes\s*with a switch from main, before it locks", b.text("#blame"), re.S), b.text("#blame"))
    b.open("blamed/abba_deadlock-1.html")
    case("of a deadlock the locks are numbered", b.count(".row .badge") == 2 and "same order" in b.text("#blame"), b.text("#blame"))


def test_filters(b):
    b.open("heddle-out/bank_lost_update-1.html")
    few = b.count(".row")
    b.key("a")
    everything = b.count(".row")
    case("all steps are more", everything > few, f"{few}, {everything}")
    case("those that matter are marked", 0 < b.count(".row.matters") < everything)
    b.click(".chip:nth-child(2)")
    kept = b.eval("[...document.querySelectorAll('.row')].every(r => !r.classList.contains('lane-1'))")
    case("a thread can be hidden", kept and b.count(".row") < everything)
    b.click(".chip:nth-child(2)")
    case("and shown again", b.count(".row") == everything)
    b.eval("(i => { i.value = 'balance'; i.dispatchEvent(new Event('input')); })(document.getElementById('filter'))")
    kept = b.eval("[...document.querySelectorAll('.row .card')].every(r => r.textContent.includes('balance'))")
    case("only steps on an object", kept and 0 < b.count(".row") < everything)
    b.eval("(i => { i.value = 'no such thing'; i.dispatchEvent(new Event('input')); })(document.getElementById('filter'))")
    case("a filter that nothing passes says so", b.text(".rows .nothing") is not None and not b.problems, str(b.problems))
    b.eval("document.getElementById('filter').focus()")
    b.key("Escape")
    case("Escape leaves the filter", b.count(".row") == everything)
    b.key("?")
    case("? shows the keys", b.eval("document.getElementById('keys').open"))


def test_looks(b):
    colour = "getComputedStyle(document.body).backgroundColor"
    b.scheme("light")
    b.open("heddle-out/bank_lost_update-1.html")
    light = b.eval(colour)
    b.scheme("dark")
    dark = b.eval(colour)
    case("light and dark follow the system", light != dark, light)
    b.key("t")
    case("and can be chosen", b.eval(colour) == light)
    b.scheme("light")
    case("it prints", len(b.pdf()) > 10_000 and not b.problems, str(b.problems))
    b.size(420, 800)
    b.open("heddle-out/bank_lost_update-1.html")
    case("a narrow window does not scroll sideways", b.eval("document.documentElement.scrollWidth") <= 420)
    b.size(1360, 860)


def test_deadlock(b):
    check("abba_deadlock")
    b.open("heddle-out/abba_deadlock-1.html")
    case("deadlock: no errors", not b.problems, str(b.problems))
    case("the graph shows a circle", b.eval("document.querySelector('#waits svg').dataset.cycle") == "4")
    case("of two threads and two locks", b.count(".edge.cycle") == 4 and b.count(".node.thread.cycle") == 2)
    case("both stand at their line", b.text(".line.here").count("waits") == 1, b.text(".line.here"))
    b.key("Home")
    case("there was none at the first step", b.eval("document.querySelector('#waits svg').dataset.cycle") == "0")
    case("but a lock was held", re.search(r"account\[\d\]\.lock is held by T\d", b.text("#waits")), b.text("#waits"))


def test_kinds(b):
    for name, words in (("use_after_free", "has freed it"), ("lost_wakeup", "waits on pistol"),
                        ("null_after_check", "crashes")):
        check(name)
        b.open(f"heddle-out/{name}-1.html")
        case(f"{name}: no errors", not b.problems, str(b.problems))
        case(f"{name}: told", words in b.text("#rows"), b.text("#rows"))
        case(f"{name}: a line of source is shown", b.count(".line.here") == 1)
    b.open("heddle-out/bank_lost_update-2.html")
    case("a data race is marked", b.text(".row.current .remark") == "data race" or b.count(".remark") > 0)
    case("its other side can be reached", b.text("#details") is not None and "races" in b.text("#details"), b.text("#details"))


def test_properties(b):
    with open("kept.mop", "w") as f:
        f.write("enforce Kept(void *l) {\n"
                "event add before(void *l) : call(list_add(..)) && target(l) {}\n"
                "event make before(void *l) : call(iter_new(..)) && target(l) {}\n"
                "fsm: fresh [ add -> full ] full [ add -> full ] @nonfail {} }\n")
    program = os.path.join(ROOT, "tests", "properties", "safe_iteration.c")
    check(program, "--spec", "kept.mop")
    b.open("heddle-out/safe_iteration-1.html")
    b.key("End")
    case("properties: no errors", not b.problems, str(b.problems))
    case("what monitors read, their state, and who is held",
         "Kept(list)add full" in b.text("#monitors") and "mainis held before make" in b.text("#monitors"), b.text("#monitors"))
    case("a monitor has a lane with its states", "Kept" in b.text(".names .monitor") and b.text(".row .state") == "full")
    case("who is held back is marked, and until when", b.count(".row .held-mark") == b.count("#rows .row") and
         "is held before" in b.text(".row.current") and "held back since step" in b.text(".row.current .held"), b.text(".row.current"))
    b.key("Home")
    case("nobody is held at the first step", "is held" not in b.text("#monitors"), b.text("#monitors"))
    with open("kept.mop", "w") as f:
        f.write("enforce AddFirst(void *l) {\n"
                "event add before(void *l) : call(list_add(..)) && target(l) {}\n"
                "event make before(void *l) : call(iter_new(..)) && target(l) {}\n"
                "fsm: fresh [ add -> full ] full [ add -> full make -> full ] @nonfail {} }\n"
                "Twice(void *l, void *i) {\n"
                "creation event create after(void *l) returning(void *i) : call(iter_new(..)) && target(l) {}\n"
                "event next before(void *i) : call(iter_next(..)) && target(i) {}\n"
                "fsm: none [ create -> made ] made [ next -> used ] used [] @fail {} }\n")
    check(program, "--spec", "kept.mop", "--out", "violated")
    b.open("violated/safe_iteration-1.html")
    states = b.eval("[...document.querySelectorAll('.row .state')].map(s => s.textContent + (s.classList.contains('bad') ? '!' : ''))")
    case("a lane tells the way to the violation", b.text(".names .monitor") == "Twice (list, *i)" and
         [s for s in states if s != "full"] == ["made", "used", "fail!"], str(states))
    b.key("a")
    b.key("Home")
    waits = b.eval("[...document.querySelectorAll('#rows .row')].map(r => [r.querySelectorAll('.held-mark').length, r.querySelector('.what').textContent])")
    held = [what for marks, what in waits if marks]
    case("who was held back is marked until it could go on", held and "starts" in held[0] and len(held) <= 2 and not waits[-1][0], str(waits))


# ---- odd and large ----

def test_escaping(b):
    with open("odd.c", "w") as f:
        f.write(ODD)
    check("odd.c")
    b.open("heddle-out/odd-1.html")
    title = "assertion failed: x == 2 && \"</script><img src=x onerror='document.title=1'>\""
    case("odd names: no errors", not b.problems, str(b.problems))
    case("the title is text", b.eval("document.title") == title, b.eval("document.title"))
    case("nothing became markup", b.count("img") == 0 and b.count("script") == 2 and b.count(".names b, .names i") == 0)
    case("the source is as it is", "</script><script>document.title = 'owned'</script>" in b.text("#code"))
    case("names of threads", '<b>"x"&é' in b.text("#names") and "\\xff<i>" in b.text("#names"), b.text("#names"))
    b.key("a")
    case("names of events", '</script><b>"x"&é' in b.text("#rows") and "\\xff<!--" in b.text("#rows"), b.text("#rows"))


def test_many(b):
    with open("many.c", "w") as f:
        f.write(MANY)
    check("many.c", "--max-steps", "1000000", "--races", "ignore")
    seconds = b.open("heddle-out/many-1.html")
    size = os.path.getsize("heddle-out/many-1.html")
    b.key("a")
    shown = int(b.text("#position").split()[-1].replace(",", ""))
    print(f"# {shown} steps, {size / 1e6:.1f} MB: {seconds:.2f} s to open")
    case("a page of 100,000 steps opens soon", shown > EVENTS and seconds < 60, f"{shown}, {seconds:.1f} s")
    case("only some of them are drawn", 10 < b.count(".row") < 300, str(b.count(".row")))
    took = b.eval("(() => { const t = performance.now(); for (let i = 0; i < 20; i++) document.getElementById('previous').click();"
                  "return (performance.now() - t) / 20; })()")
    print(f"# {took:.1f} ms a step")
    case("stepping is fast", took < 1000, f"{took:.0f} ms")
    b.key("Home")
    case("its first step is drawn", b.text(".row.current .what").startswith("creates"), b.text(".row.current .what"))
    case("many steps: no errors", not b.problems, str(b.problems))


def test_one_lane(b):
    with open("alone.c", "w") as f:
        f.write("#include <stdlib.h>\nint main(void)\n{\n  int *p = malloc(sizeof *p);\n  free(p);\n  return *p;\n}\n")
    check("alone.c")
    b.open("heddle-out/alone-1.html")
    case("one lane: beside the numbers of the steps", b.eval("document.querySelector('#names .step').getBoundingClientRect().right <="
                                                             "document.querySelector('#names .name').getBoundingClientRect().left"))


# Room for a telephone: nothing is wider than the screen, and lanes that fit are all seen.
def test_narrow(b):
    for page in ("bank_lost_update-1.html", "index.html"):
        b.size(390, 844)
        b.open(f"heddle-out/{page}")
        case(f"narrow, {page}: not wider than the screen", b.eval("document.documentElement.scrollWidth <= innerWidth"))
    b.open("heddle-out/bank_lost_update-1.html")
    case("narrow: the lanes fit", b.eval("(e => e.scrollWidth <= e.clientWidth)(document.getElementById('lanes'))"))
    case("narrow: what is to blame is not cut off", b.eval("(e => e.scrollHeight <= e.clientHeight + 1)(document.getElementById('blame'))"))
    b.size(1360, 860)


def test_processes(b):
    heddle("check", "-j", "1", os.path.join(ROOT, "tests", "processes", "jobs.c"), status=1)
    b.open("heddle-out/jobs-1.html")
    case("processes: no errors", not b.problems, str(b.problems))
    case("processes: lanes stand together under their process", b.count("#names .process") == 3 and
         "forked at jobs.c" in b.text("#names .process:nth-child(2)"), b.text("#names"))
    b.key("a")
    arrows = b.eval("[...document.querySelectorAll('.messages path title')].map(t => t.textContent).sort().join('; ')")
    case("processes: an arrow for each message", re.fullmatch(r"(P\d sent it at step \d+; ){2}(main sent it at step \d+(; )?){2}", arrows), arrows)
    b.eval("const f = document.getElementById('filter'); f.value = 'descriptor 3'; f.dispatchEvent(new Event('input'))")
    b.click(".rows .row")
    case("processes: a step tells of its process and of who sent", "a child of main, forked at jobs.c" in b.text("#details") and
         re.search(r"sent by\s*step \d+ \(main\)", b.text("#details")), b.text("#details"))
    case("processes: still no errors", not b.problems, str(b.problems))


RACES = 14


def test_many_races(b):
    with open("races.c", "w") as f:
        f.write("#include <pthread.h>\n" + "".join(f"static int v{i};\n" for i in range(RACES)) + "static void *work(void *p)\n{\n"
                + "".join(f"  v{i} = 1;\n" for i in range(RACES)) + "  return p;\n}\nint main(void)\n{\n  pthread_t t;\n"
                "  pthread_create(&t, NULL, work, NULL);\n  work(NULL);\n  return pthread_join(t, NULL);\n}\n")
    heddle("check", "--max-executions", "100", "--out", "races", "races.c", status=1)
    b.open("races/index.html")
    case("overview: many races are one list of lines", b.count("#bugs > li") == 1 and b.count(".races li") == RACES and
         b.eval("document.querySelector('.races li').offsetHeight") < 40, b.text("#bugs"))


def test_overview(b):
    heddle("check", "--coverage", "--out", "covered", os.path.join(ROOT, "tests", "subjects", "bank_lost_update.c"), status=1)
    b.open("covered/index.html")
    case("overview: no errors", not b.problems, str(b.problems))
    case("overview: the bugs", b.count("#bugs li") >= 1 and "balance == 50" in b.text("#bugs"))
    case("overview: the command and the seed", "check --coverage" in b.text("#command") and "seed" in b.text("#tiles"))
    case("overview: coverage is plotted", b.count("[aria-label^=growth] .curve") == 3)
    link = b.eval("document.querySelector('#bugs a').href")
    b.open(link)
    case("overview: leads to the page", b.text("h1") == "assertion failed: balance == 50", str(b.text("h1")))
    heddle("check", "--explain", "--races", "ignore", "--out", "reduced", os.path.join(ROOT, "tests", "minimise", "account.c"), status=1)
    b.open("reduced/index.html")
    case("overview: the smallest part of a stress test, and its blame", "2 calls of 100 threads" in b.text(".reduced") and
         "as if nobody had written in between" in b.text(".reduced"), b.text("#bugs"))
    b.open("reduced/account-1.html")
    link = b.eval("document.querySelector('.sentences a').href")
    b.open(link)
    case("page: leads to that of the smallest part", "reduced" in link and "as if nobody" in b.text("#blame") and not b.problems, str(b.problems))
    for seconds in (2, 8, 30):  # until there is an estimate
        said = heddle("explore", "--time", f"{seconds}s", "--coverage", "--out", "long",
                      os.path.join(ROOT, "tests", "exhaustive", "journal.c"), "--", "4", "4")
        if "estimated" in said:
            break
    b.open("long/index.html")
    case("overview: executions over time, and the estimate", "Executions over time" in b.text("#plots") and b.count(".dashed") == 1, said)
    said = heddle("explore", "--coverage", "--races", "ignore", "--out", "proved", os.path.join(ROOT, "tests", "subjects", "atomic_max.c"))
    case("overview: told of without a bug", "page     proved/index.html" in said or "✗" in said, said)
    for name, flags in (("lost", ()), ("fixed", ("-DFIXED",))):
        heddle("cc", "-g", "-pthread", *flags, os.path.join(ROOT, "tests", "subjects", "bank_lost_update.c"), "-o", name)
    with open("both.suite", "w") as file:
        file.write("<b>lost</b>: lost\nfixed: fixed\n")
    said = heddle("suite", "--explain", "--time", "5s", "--out", "of_suite", "both.suite", status=1)
    b.open("of_suite/index.html")
    case("overview of tests: each with what was found", b.count(".test") == 2 and b.count(".test.bad") == 1 and
         "<b>lost</b>" in b.text(".test.bad") and "balance == 50" in b.text("#bugs") and "complete" in b.text("#tiles") and
         "page     of_suite/index.html" in said and not b.problems, said + str(b.problems))


def main():
    path = chromium.find()
    with tempfile.TemporaryDirectory(prefix="heddle-page-") as folder:
        os.chdir(folder)
        test_files()
        if not path:
            print("# skipped: there is no Chromium to open pages with; install Debian's package chromium")
            return
        b = chromium.Browser(path)
        try:
            for test in (test_stepping, test_blame, test_filters, test_looks, test_deadlock, test_kinds, test_properties, test_escaping, test_many, test_one_lane, test_narrow,
                         test_processes, test_many_races, test_overview):
                test(b)
        finally:
            b.close()
        os.chdir("/")


main()
