#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle explore, run, check, suite and minimise --cluster: the same executions as on one machine, none twice, whoever dies meanwhile.

A NATS server is started on loopback, at a port of its own, with a store of its own; where nats-server is not installed,
or heddle was built without the library of NATS, this says so and tests nothing. All processes and files are gone at the
end, which is tested, too. With FULL=1, more workers, and deaths; more of these are in cluster_faults.py.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
FULL = bool(os.environ.get("FULL"))
LIMIT = 300  # seconds for whatever it is, however busy the machine is
SERVER = shutil.which("nats-server", path=os.environ["PATH"] + ":/usr/sbin")
# Arguments of increments.c, and how many executions there are.
SMALL = {"read and write": (["3", "1"], 36), **({"four threads": (["4", "1", "0"], 576)} if FULL else {})}
MIDDLE = (["5", "1", "0"], 14400)
LARGE = (["3", "4", "2"], 34650)
ENDLESS = ["5", "3", "0"]


def case(name, bad):
    print(f"{'not ok' if bad else 'ok'} - {name}{f' ({bad})' if bad else ''}", flush=True)


def wait_for(what, condition):
    """What the condition returns, once it is true."""
    until = time.monotonic() + LIMIT
    while not (found := condition()):
        if time.monotonic() > until:
            raise RuntimeError(f"waited in vain for {what}")
        time.sleep(0.02)
    return found


class Cluster:
    """A server and workers, each started by itself, so that each can be killed."""

    address = "127.0.0.1"
    keeps = ("-js",)

    def command(self, *words, host=None):
        """How something is started on a host."""
        assert host is None
        return words

    def __init__(self, folder, *options, **environment):
        self.folder = folder
        self.options = options
        self.environment = dict(os.environ, TMPDIR=str(folder), XDG_RUNTIME_DIR=str(folder), **environment)
        self.workers = []
        self.server = None
        self.port = -1
        self.start_server()

    def start_server(self):
        ports = self.folder / "ports"
        ports.mkdir(exist_ok=True)
        self.server = subprocess.Popen(
            self.command(SERVER, "-a", self.address, "-p", str(self.port), *self.keeps, "-sd", self.folder / "store", "--ports_file_dir", ports,
                         "-l", self.folder / "log", *self.options), env=self.environment)
        file = ports / f"nats-server_{self.server.pid}.ports"
        found = wait_for("the server", lambda: file.is_file() and re.search(r"(?:nats|tls)://[\d.]+:(\d+)", file.read_text()))
        self.url, self.port = found[0], int(found[1])

    def kill_server(self):
        self.server.kill()
        self.server.wait()

    def start_worker(self, cores, host=None, **how):
        worker = subprocess.Popen(self.command(HEDDLE, "worker", "-j", str(cores), self.url, **({"host": host} if host else {})), env=self.environment, stdin=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, **how)
        self.workers.append(worker)
        return worker

    def end_worker(self, worker, number=signal.SIGTERM):
        worker.send_signal(number)
        worker.wait(LIMIT)
        worker.stderr.close()
        self.workers.remove(worker)

    def explore(self, program, arguments, *options, place=None):
        return subprocess.Popen(self.command(HEDDLE, "explore", "--cluster", self.url, *options, program, "--", *arguments), cwd=place or self.folder,
                                env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def close(self):
        for worker in list(self.workers):
            self.end_worker(worker)
        if self.server.poll() is None:
            self.server.terminate()
            self.server.wait()


class WithoutStreams(Cluster):
    keeps = ()


def children(pid):
    with contextlib.suppress(OSError):
        return [int(c) for c in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def below(pid):
    """All processes below one, the nearest first."""
    near = children(pid)
    return near + [deep for child in near for deep in below(child)]


def happened(name, during):
    """Something was done while the search ran; on a machine that is too fast for that, there is nothing to see."""
    print(f"ok - {name}{'' if during else ' # SKIP the search was over before'}", flush=True)


def begun(folder):
    """Whether there is a checkpoint with executions."""
    with contextlib.suppress(OSError):
        return any(b"\nexecutions 0\n" not in file.read_bytes() for file in folder.glob("heddle-cluster-*/checkpoint"))
    return False


def works(worker):
    """Whether the worker has a seat, and its agent a program that runs."""
    return any(children(agent) for seat in children(worker.pid) for agent in children(seat))


def ended(search):
    said, _ = search.communicate(timeout=LIMIT)
    return said


def total(said):
    found = re.search(r"no bug in any interleaving \(complete\): ([\d,]+) execution", said)
    return int(found[1].replace(",", "")) if found else None


def classes(path):
    """The classes of a file of hashes, in order."""
    return sorted(line.split()[0] for line in path.read_text().splitlines() if not line.startswith("#"))


def differs(said, executions):
    return None if total(said) == executions else f"not {executions} executions: {said[-400:]!r}"


# ---- cases ----

def same_classes(cluster, program):
    for name, (arguments, executions) in SMALL.items():
        alone = cluster.folder / "alone"
        subprocess.run([HEDDLE, "explore", "--hashes", alone, program, "--", *arguments], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, timeout=LIMIT, env=cluster.environment, cwd=cluster.folder)
        for cores in (1, 2, 4, 8) if FULL else (2,):
            worker = cluster.start_worker(cores)
            there = cluster.folder / "there"
            said = ended(cluster.explore(program, arguments, "--hashes", there))
            bad = differs(said, executions) or (classes(alone) != classes(there) and "other classes")
            case(f"{name}: {cores} worker{'s'[:cores > 1]} find the classes of one machine", bad)
            cluster.end_worker(worker)
            there.unlink()
        alone.unlink()


def deaths(cluster, program):
    """A worker and the server are killed; then who is left goes on."""
    arguments, executions = MIDDLE
    hashes = cluster.folder / "hashes"
    first, second = cluster.start_worker(1), cluster.start_worker(1)
    search = cluster.explore(program, arguments, "--hashes", hashes)
    wait_for("a worker at work", lambda: works(first) or search.poll() is not None)
    during = search.poll() is None
    cluster.end_worker(first, signal.SIGKILL)
    happened("a worker is killed while it works", during)
    wait_for("the other at work", lambda: works(second) or search.poll() is not None)
    during = search.poll() is None
    cluster.kill_server()
    happened("the server is killed while somebody works", during)
    cluster.start_server()
    said = ended(search)
    case("all executions are there", differs(said, executions))
    case("none is there twice", len(set(classes(hashes))) != executions and f"{len(set(classes(hashes)))} classes")
    cluster.end_worker(second)
    hashes.unlink()
    for left in cluster.folder.glob("heddle-worker-*"):  # of the one that was killed
        shutil.rmtree(left)


def coordinator(cluster, program):
    """Who began the search is killed; started again elsewhere, it goes on."""
    arguments, executions = LARGE
    worker = cluster.start_worker(1)
    search = cluster.explore(program, arguments)
    wait_for("a worker at work", lambda: works(worker) or search.poll() is not None)
    # For so long that a checkpoint is due, nobody goes on: there is something left then, however fast the machine is.
    time.sleep(0.3)  # for some executions
    stopped = below(worker.pid)
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for process in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)
        time.sleep(2.5 if number == signal.SIGSTOP else 0)
    wait_for("a checkpoint", lambda: search.poll() is not None or begun(cluster.folder))
    during = search.poll() is None
    search.kill()
    ended(search)
    happened("the search is killed after a checkpoint", during)
    # Who keeps checkpoints looks once more, and ends.
    wait_for("the checkpoint to be kept", lambda: not keepers(cluster))
    case("nothing of it is left on this machine", [folder.name for folder in cluster.folder.glob("heddle-cluster-*")])
    elsewhere = cluster.folder / "elsewhere"
    elsewhere.mkdir()
    said = ended(cluster.explore(program, arguments, place=elsewhere))
    elsewhere.rmdir()
    kept = re.search(r"the cluster kept (\d+) execution", said)
    case("it goes on with what was kept, started in another place", during and not (kept and int(kept[1])) and said[-400:])
    case("and comes to the same total", differs(said, executions))
    said = ended(cluster.explore(program, SMALL["read and write"][0]))
    case("what has ended is kept no more", "kept" in said and said[-400:])
    cluster.end_worker(worker)


def says(search, words):
    """Whether a line of the search has these words, sooner or later."""
    for line in search.stdout:
        if words in line:
            return True
    return False


def away(cluster, program):
    """A server that is away is waited for; that is said, and whoever ends the search meanwhile is obeyed."""
    worker = cluster.start_worker(1)
    search = cluster.explore(program, ENDLESS, "--time", str(LIMIT))
    wait_for("a worker at work", lambda: works(worker))
    cluster.server.send_signal(signal.SIGSTOP)
    case("a search says that its server is away", not says(search, "has not answered for") and "it did not")
    cluster.server.send_signal(signal.SIGCONT)
    case("and that it goes on", not says(search, "the search goes on") and "it did not")
    cluster.server.send_signal(signal.SIGSTOP)
    search.send_signal(signal.SIGTERM)
    said = ended(search)
    case("it ends when it is told to, though the server is away", (search.returncode != 3 or "interrupted" not in said) and said[-400:])
    wait_for("the keeper of checkpoints to end", lambda: not keepers(cluster))
    case("and leaves nothing behind", [folder.name for folder in cluster.folder.glob("heddle-cluster-*")])
    cluster.server.send_signal(signal.SIGCONT)
    cluster.end_worker(worker)


def sample(cluster, program, *options):
    """Samples, here or there."""
    return subprocess.Popen([HEDDLE, "run", *options, program], cwd=cluster.folder, env=cluster.environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def told(search):
    """What samples are known by: the status, how many there were, their hash, and the bugs."""
    said = ended(search)
    return search.returncode, re.findall(r"^(?:[\d,]+ execution|trace hash .*|.* bugs? found|bug .*|.*Assertion.*)", said, re.MULTILINE), said


def samples(cluster, _):
    """heddle run: the executions of one worker here, whoever dies meanwhile."""
    learns, loses = compile_text(cluster.folder, "learns", SHARES_LATE), compile_text(cluster.folder, "loses", LOSES_AN_UPDATE)
    first, second = cluster.start_worker(1), cluster.start_worker(1)
    for name, program, options in (("samples that learn late what is shared", learns, ("--runs", "9000")),
                                   ("samples until a bug", learns, ("--until-bug", "--strategy", "pos")),
                                   ("samples of which a worker had some when it was killed", loses, ("--runs", "40000"))):
        options = (*options, "--seed", "7", "--out", "found")
        alone = told(sample(cluster, program, "-j", "1", *options))
        shutil.rmtree(cluster.folder / "found", ignore_errors=True)
        search = sample(cluster, program, "--cluster", cluster.url, *options)
        if program == loses:
            wait_for("a worker at work", lambda: works(first) or search.poll() is not None)
            cluster.end_worker(first, signal.SIGKILL)
        there = told(search)
        shutil.rmtree(cluster.folder / "found", ignore_errors=True)
        case(f"{name}: those of one worker here", (not alone[1] or alone[:2] != there[:2]) and f"{there} instead of {alone}")
    done = sample(cluster, program, "--cluster", cluster.url, "--strategy", "pct")
    ended(done)
    case("a strategy that learns from execution to execution is refused", done.returncode != 2 and done.returncode)
    cluster.end_worker(second)
    learns.unlink()
    loses.unlink()
    for left in cluster.folder.glob("heddle-worker-*"):  # of the one that was killed
        shutil.rmtree(left)


def spent(worker):
    """Seconds of the processor of those below a worker that have ended."""
    fields = pathlib.Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def steps(cluster, program, seats):
    """What samples by strategies that learn come to, with so many seats: how many there were, and their steps."""
    subprocess.run([HEDDLE, "check", "--cluster", cluster.url, "-j", str(seats), "--keep-going", "--max-executions", "4000", "--time", str(LIMIT), "--seed", "7", "--json",
                    "found.json", "--out", "found", program], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, cwd=cluster.folder, env=cluster.environment)
    shutil.rmtree(cluster.folder / "found", ignore_errors=True)
    found = json.loads((cluster.folder / "found.json").read_text())
    (cluster.folder / "found.json").unlink()
    return found["executions"], found["steps"]


def minimises(cluster, run):
    """A failure that was found elsewhere is made smaller as one that was found here."""
    test = cluster.folder / "account"
    subprocess.run([HEDDLE, "cc", "-g", "-pthread", ROOT / "tests/minimise/account.c", "-o", test], check=True)
    here, there = (re.findall(r"assertion failed.*|\d+ threads, .* are left", run("minimise", *where, "--time", "60", "--no-page", "--out", "found", test)[1])
                   for where in ((), ("--cluster", cluster.url)))
    case("minimise: what is left is that of one machine", (here != there or not there) and f"{there} instead of {here}")
    test.unlink()


def checks(cluster, program):
    """heddle check and suite: the verdicts of one machine, by those who are elsewhere."""
    arguments = ["4", "1", "0"]

    def run(*words):
        done = subprocess.run([HEDDLE, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT, cwd=cluster.folder,
                              env=cluster.environment)
        shutil.rmtree(cluster.folder / "found", ignore_errors=True)
        return done.returncode, done.stdout
    status, said = run("check", "--cluster", cluster.url, "--time", "2", program, "--", *arguments)
    case("check: without a worker there is no proof", (status or total(said) or "no worker is there" not in said) and said[-400:])
    worker = cluster.start_worker(2)
    status, said = run("check", "--cluster", cluster.url, "--time", str(LIMIT), program, "--", *arguments)
    case("check: with one there is", (status and said[-400:]) or differs(said, 1000 + 576))
    learns = compile_text(cluster.folder, "learns", SHARES_LATE)
    wanders = compile_text(cluster.folder, "wanders", WANDERS)
    one, three = steps(cluster, wanders, 1), steps(cluster, wanders, 3)
    case("check: samples that learn are the same for any number of seats", (one != three or one[0] != 4000) and f"{one}, {three}")
    file = cluster.folder / "tests.suite"
    file.write_text(f"right: ./increments {' '.join(MIDDLE[0])}\nwrong: ./learns\n")
    before = spent(worker)
    here, there = (re.findall(r"^(?:right|wrong) +\w+", run("suite", *where, "--time", str(LIMIT), "--out", "found", file)[1], re.MULTILINE)
                   for where in ((), ("--cluster", cluster.url)))
    case("suite: the verdicts of one machine", (here != there or len(there) != 2) and f"{there} instead of {here}")
    wait_for("the worker to have done its part", lambda: spent(worker) > before)
    if FULL:
        minimises(cluster, run)
    status, said = run("check", "--cluster", cluster.url, "--strategy", "history", program)
    case("check: a strategy for one process is refused", (status != 2 or said.count("\n") != 1) and said)
    cluster.end_worker(worker)
    learns.unlink()
    wanders.unlink()
    file.unlink()


KEEPS_A_SECRET = r"""
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x;
static void *add(void *none) { x++; return none; }
int main(void)
{
  pthread_t t;
  assert(getenv("PATH"));
  pthread_create(&t, NULL, add, NULL);
  add(NULL);
  pthread_join(t, NULL);
  assert(!getenv("API_SECRET"));
  return 0;
}
"""
SHARES_LATE = r"""
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, table[64];
/* Which places of the table both threads come to shows only after many executions. */
static void *go(void *own)
{
  for (int i = 0; i < 4; i++) {
    (*(atomic_int *)own)++;
    int at = (x * 8 + y) % 64;
    atomic_store(&table[at], atomic_load(&table[at]) + 1);
  }
  return NULL;
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, go, &y);
  go(&x);
  pthread_join(t, NULL);
  assert(table[36] < 2);
  return 0;
}
"""
WANDERS = r"""
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
/* How many steps there are depends on the schedule. */
static void *go(void *none)
{
  for (int i = 0; i < 6; i++)
    if (x % 2)
      x++;
    else
      for (int n = x % 3; n >= 0; n--)
        x += 1 + y++ % 2;
  return none;
}
int main(void)
{
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, go, NULL);
  go(NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  return 0;
}
"""
LOSES_AN_UPDATE = r"""
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *add(void *none) { atomic_store(&x, atomic_load(&x) + 1); return none; }
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, add, NULL);
  add(NULL);
  pthread_join(t, NULL);
  assert(x == 2);
  return 0;
}
"""


def compile_text(folder, name, text):
    (folder / f"{name}.c").write_text(text)
    subprocess.run([HEDDLE, "cc", "-g", "-pthread", f"{name}.c", "-o", name], check=True, cwd=folder)
    (folder / f"{name}.c").rename(folder / "store" / f"{name}.c")  # what is left there is not looked at
    return folder / name


def stored(cluster):
    """All that the server has written; it goes on writing."""
    found = []
    for folder, _, names in os.walk(cluster.folder / "store"):
        for name in names:
            with contextlib.suppress(OSError):
                found.append(pathlib.Path(folder, name).read_bytes())
    return b"\n".join(found)


def environment(cluster, _):
    """What is secret stays here, unless it is asked for."""
    program = compile_text(cluster.folder, "keeps", KEEPS_A_SECRET)
    cluster.environment["API_SECRET"] = "do-not-tell-this"
    search = cluster.explore(program, [])
    wait_for("an offer", lambda: b'"environment"' in stored(cluster))
    case("the server is told no secret", b"do-not-tell-this" in stored(cluster) and "it was")
    worker = cluster.start_worker(1)
    said = ended(search)
    case("the program gets what libraries want, and nothing else", not total(said) and said[-400:])
    said = ended(cluster.explore(program, [], "--env-pass", "API_SECRET", "--out", "asked"))
    shutil.rmtree(cluster.folder / "asked", ignore_errors=True)
    case("what is asked for travels, and the bug it makes is shown again here", "API_SECRET" not in said and said[-800:])
    del cluster.environment["API_SECRET"]
    cluster.end_worker(worker)
    program.unlink()


def bugs(cluster, _):
    """What is found elsewhere is reported, replayed and shrunk as what is found here."""
    program = compile_text(cluster.folder, "loses", LOSES_AN_UPDATE)
    worker = cluster.start_worker(1)

    def key(said):
        return re.findall(r"assertion.*", said)[:1]
    search = cluster.explore(program, [], "--out", "found")
    there = ended(search)
    alone = subprocess.run([HEDDLE, "explore", "--out", "alone", program], cwd=cluster.folder, env=cluster.environment, text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT).stdout
    case("a bug is found on a cluster", search.returncode != 1 and there[-800:])
    case("it is told as on one machine", (not key(there) or key(there) != key(alone)) and f"{there[-800:]} instead of {alone[-800:]}")
    files = sorted((cluster.folder / "found").rglob("*.hd"))
    for command in ("replay", "shrink"):
        done = subprocess.run([HEDDLE, command, *files[:1]], cwd=cluster.folder, env=cluster.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
        case(f"{command} of what was found there", (not files or done.returncode != (1 if command == "replay" else 0)) and done.stdout[-800:])
    cluster.end_worker(worker)
    program.unlink()
    for name in ("found", "alone"):
        shutil.rmtree(cluster.folder / name, ignore_errors=True)


# ---- a server that wants to know who comes ----

def make_certificates(folder):
    """A certificate authority, a certificate of the server and one of a client."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(*new, "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority", "-days", "2")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    for name in ("server", "client"):
        openssl(*new, "-keyout", f"{name}.key", "-out", f"{name}.request", "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.request", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names",
                "-out", f"{name}.pem", "-days", "2")


def write_context(folder, name, **members):
    place = folder / "nats" / "context"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{name}.json").write_text(json.dumps(members))


def credentials(folder, program):
    """TLS with certificates of both, and a password: from files that the environment names."""
    if not shutil.which("openssl"):
        print("ok - a server that wants credentials # SKIP openssl is not installed")
        return
    make_certificates(folder)
    files = dict(ca=str(folder / "ca.pem"), cert=str(folder / "client.pem"), key=str(folder / "client.key"))
    write_context(folder, "right", user="weaver", password="warp and weft", **files)
    write_context(folder, "wrong", user="weaver", password="guessed", **files)
    write_context(folder, "nobody", user="weaver", password="warp and weft", ca=files["ca"])
    settings = folder / "settings"
    settings.write_text(f"""
        tls {{ cert_file: "{folder}/server.pem", key_file: "{folder}/server.key", ca_file: "{folder}/ca.pem", verify: true }}
        authorization {{ user: weaver, password: "warp and weft" }}""")
    cluster = Cluster(folder, "-c", settings, XDG_CONFIG_HOME=str(folder), NATS_CONTEXT="right")
    try:
        worker = cluster.start_worker(1)
        said = ended(cluster.explore(program, SMALL["read and write"][0]))
        case("who has a certificate and a password searches there", differs(said, 36))
        shown = b"".join(pathlib.Path(f"/proc/{process}/cmdline").read_bytes() for process in [worker.pid, *below(worker.pid)])
        case("no command line shows the password", b"weft" in shown and shown)
        cluster.end_worker(worker)
        for name, variables in {"a wrong password": {"NATS_CONTEXT": "wrong"}, "no certificate": {"NATS_CONTEXT": "nobody"},
                                "no credentials": {"NATS_CONTEXT": ""}, "a context that is not there": {"NATS_CONTEXT": "other"},
                                "a file that is not there": {"NATS_CONTEXT": "", "NATS_CA": "/nowhere/ca.pem"}}.items():
            done = subprocess.run([HEDDLE, "explore", "--cluster", cluster.url, program], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=LIMIT, cwd=folder, env=dict(cluster.environment, **variables))
            good = done.returncode == 3 and done.stderr.count("\n") == 1 and "weft" not in done.stderr
            case(f"{name}: refused in one line", not good and (done.stderr or "it was not"))
        variables = dict(NATS_CONTEXT="", NATS_CA=files["ca"], NATS_CERT=files["cert"], NATS_KEY=files["key"])
        done = subprocess.run([HEDDLE, "worker", cluster.url], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT,
                              env=dict(cluster.environment, **variables))
        case("files alone are used, and the password is missed", "Violation" not in done.stderr and done.stderr)
    finally:
        cluster.close()


def refusals(cluster, program):
    for name, url, why in (("a password in the address", "nats://user:secret@127.0.0.1:1", "NATS_CREDS"),
                           ("another kind of address", "http://127.0.0.1:1", "no address of a NATS server"),
                           ("an address without a server", "nats://127.0.0.1:1", "no NATS server answers")):
        for command in (["explore", "--cluster", url, program], ["worker", url]):
            done = subprocess.run([HEDDLE, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, env=cluster.environment)
            good = done.returncode in (2, 3) and why in done.stderr and done.stderr.count("\n") == 1 and "secret" not in done.stderr
            case(f"{command[0]}: {name} is refused", not good and done.stderr)
    place = cluster.folder / "forgetful"
    place.mkdir()
    forgetful = WithoutStreams(place)
    for command in (["explore", "--cluster", forgetful.url, program], ["worker", forgetful.url]):
        done = subprocess.run([HEDDLE, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, env=cluster.environment)
        good = done.returncode == 3 and "-js" in done.stderr and done.stderr.count("\n") == 1
        case(f"{command[0]}: a server without JetStream is refused", not good and done.stderr)
    forgetful.close()
    shutil.rmtree(place)
    other = cluster.start_worker(1, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20)))
    search = cluster.explore(program, SMALL["read and write"][0])
    line = ""
    while "not searched here" not in line and other.poll() is None:
        line = other.stderr.readline()
    case("a worker that would run the program in another way says so", "ulimit -s" not in line and line)
    right = cluster.start_worker(1)
    said = ended(search)
    case("and leaves it to others", differs(said, 36))
    case("who searches is told why", "leaves this search to others" not in said and said[-400:])
    cluster.end_worker(right)
    cluster.end_worker(other)


# ---- templates for who starts workers ----

def worker_begins(cluster, command, **environment):
    """What is wrong: it is no command line of a worker that then waits for searches of the server."""
    worker = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=cluster.folder,
                              env=dict(cluster.environment, **environment))
    line = worker.stderr.readline()
    worker.terminate()
    rest = worker.communicate(timeout=LIMIT)[1]
    return (worker.returncode or f"for searches of {cluster.url}" not in line) and f"{command}: {line}{rest}"


def slurm_template(cluster, file):
    stub = cluster.folder / "srun"
    stub.write_text('#!/bin/sh\nexec "$@"\n')
    stub.chmod(0o700)
    path = f"{cluster.folder}:{pathlib.Path(HEDDLE).parent}:{os.environ['PATH']}"
    bad = worker_begins(cluster, ["bash", file], PATH=path, SLURM_CPUS_PER_TASK="1", HEDDLE_SERVER=cluster.url)
    case("Slurm: the script starts a worker", bad)
    done = subprocess.run(["bash", file], env=dict(cluster.environment, PATH=path), capture_output=True, text=True, timeout=LIMIT)
    case("Slurm: without a server it says so", (not done.returncode or "HEDDLE_SERVER" not in done.stderr) and done.stderr)
    stub.unlink()


def systemd_template(cluster, file):
    text = file.read_text()
    command = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)[1]
    address = cluster.url.removeprefix("nats://")
    case("systemd: the unit starts a worker", worker_begins(cluster, command.replace("/usr/bin/heddle", HEDDLE).replace("%i", address).split()))
    if not shutil.which("systemd-analyze"):
        print("ok - systemd: the unit is one # SKIP systemd-analyze is not installed")
        return
    copy = cluster.folder / file.name
    copy.write_text(text.replace("/usr/bin/heddle", HEDDLE))
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, timeout=LIMIT, env=cluster.environment)
    case("systemd: the unit is one", [line for line in done.stderr.splitlines() if file.stem in line])
    copy.unlink()


def kubernetes_template(cluster, file):
    try:
        import yaml
    except ImportError:
        print("ok - Kubernetes: the pods start workers # SKIP python3-yaml is not installed")
        return
    pod = yaml.safe_load(file.read_text())["spec"]["template"]["spec"]
    container = pod["containers"][0]
    entry = json.loads(re.search(r"^ENTRYPOINT (.*)$", (ROOT / "packaging" / "Containerfile").read_text(), re.MULTILINE)[1])
    command = [cluster.url if word.startswith("nats://") else HEDDLE if word == entry[0] else word for word in entry + container["args"]]
    case("Kubernetes: the pods start workers", worker_begins(cluster, command))
    places = {mount["mountPath"] for mount in container["volumeMounts"]}
    named = [variable["value"] for variable in container["env"] if not any(variable["value"].startswith(f"{place}/") for place in places)]
    case("Kubernetes: what the environment names is mounted", named)


def templates(cluster, _):
    folder = ROOT / "packaging" / "cluster"
    slurm_template(cluster, folder / "heddle-worker.slurm")
    systemd_template(cluster, folder / "heddle-worker@.service")
    kubernetes_template(cluster, folder / "heddle-worker.yaml")


def local(folder, program):
    """heddle cluster: all in one command."""
    environment = dict(os.environ, TMPDIR=str(folder), XDG_RUNTIME_DIR=str(folder))

    def run(*command):
        return subprocess.run([HEDDLE, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=LIMIT, env=environment, cwd=folder)
    up = run("cluster", "-j", "2", "up")
    url = re.search(r"nats://[\d.:]+", up.stdout)
    case("cluster up tells the address", not url and up.stdout)
    wait_for("two seats", lambda: "and 2 cores" in run("cluster", "status").stdout)
    if FULL:
        said = run("explore", "--cluster", url[0], program, "--", *SMALL["read and write"][0]).stdout
        case("a search there is complete", differs(said, 36))
    stranger = subprocess.run([HEDDLE, "explore", "--cluster", url[0], program], capture_output=True, text=True, timeout=LIMIT, cwd=folder,
                              stdin=subprocess.DEVNULL, env=dict(environment, XDG_RUNTIME_DIR=str(folder / "store")))
    case("who does not know its secret is not heard", "Violation" not in stranger.stderr and (stranger.stderr or "it was"))
    case("a second one is not started", run("cluster", "up").returncode != 3 and "it was")
    case("cluster drain ends it", run("cluster", "drain").returncode != 0 and "it failed")
    case("there is none then", run("cluster", "status").returncode != 3 and "there is")


def ours(folder):
    """Processes that have the folder in their environment."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"TMPDIR={folder}\0".encode() in (process / "environ").read_bytes():
                found.append(process.name)
    return found


def keepers(cluster):
    """Processes of a search that was killed."""
    found = []
    for process in ours(cluster.folder):
        with contextlib.suppress(OSError):
            if b"explore" in pathlib.Path(f"/proc/{process}/cmdline").read_bytes():
                found.append(process)
    return found


def nothing_to_test():
    """Why there is nothing that could be tested; None: there is."""
    if not SERVER:
        return "nats-server is not installed"
    without = subprocess.run([HEDDLE, "worker", "nats://127.0.0.1:1"], capture_output=True, text=True, timeout=LIMIT).stderr
    return "heddle was built without the library of NATS" if "without NATS" in without else None


def compile_increments(folder):
    program = folder / "increments"
    subprocess.run([HEDDLE, "cc", "-g", "-pthread", ROOT / "tests/exhaustive/increments.c", "-o", program], check=True)
    return program


def main():
    why = nothing_to_test()
    if why:
        print(f"ok - searches on a cluster # SKIP {why}")
        return
    with tempfile.TemporaryDirectory(prefix="heddle-test-cluster-") as name:
        folder = pathlib.Path(name)
        program = compile_increments(folder)
        cluster = Cluster(folder)
        try:
            for part in (same_classes, samples, checks, away, environment, refusals, bugs, templates, deaths, coordinator) if FULL else (same_classes, samples, checks, away, environment, refusals, templates):
                part(cluster, program)
        finally:
            cluster.close()
        local(folder, program)
        secured = folder / "secured"
        secured.mkdir()
        credentials(secured, program)
        shutil.rmtree(secured)
        with contextlib.suppress(RuntimeError):
            wait_for("the end of all processes", lambda: not ours(folder))
        case("no process is left", ours(folder))
        left = sorted(f.name for f in folder.iterdir() if f.name not in ("increments", "store", "ports", "log"))
        case("no file is left", left)


if __name__ == "__main__":
    sys.exit(main())
