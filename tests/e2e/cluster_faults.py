#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults on a cluster: whatever dies, stands still or is full meanwhile, a search comes to the executions of one machine.

With FULL=1, or by itself with --faults N: searches one after the other, in each of which something is done to a worker, to a
process below it, to the server, to the search itself or to the disk of the server's store (a small tmpfs, where that can be
mounted) at a time of chance, until there were so many faults. Then the total is exact, the classes are those of one machine,
and none is there twice. --seed makes the same choices; when they come is up to the machine.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import argparse
import contextlib
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cluster as one  # noqa: E402

ARGUMENTS, EXECUTIONS = one.LARGE
MOST_AT_ONCE = 3  # faults in a search
STORE = 48 << 20  # bytes of the small disk
REFUSED = 3  # the exit status


class SmallDisk:
    """A file system for the store that can be filled up; None where nobody may mount one."""

    def __init__(self, folder):
        self.folder = folder / "store"
        self.folder.mkdir()
        self.filler = self.folder / "filler"
        self.mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={STORE}", "none", self.folder], stderr=subprocess.DEVNULL).returncode == 0

    def fill(self):
        with contextlib.suppress(OSError), open(self.filler, "wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass

    def empty(self):
        self.filler.unlink(missing_ok=True)

    def close(self):
        if self.mounted:
            subprocess.run(["umount", "-l", self.folder])


class Trial:
    """One search, and what is done to it."""

    def __init__(self, cluster, disk, program, chance):
        self.cluster, self.disk, self.program, self.chance = cluster, disk, program, chance
        self.hashes = cluster.folder / "hashes"
        self.kept = 0
        self.begin()

    def begin(self):
        self.search = self.cluster.explore(self.program, ARGUMENTS, "--hashes", self.hashes)

    def runs(self):
        return self.search.poll() is None

    def victim(self):
        """A process below a worker; its seat, agent, or the tested program itself."""
        return self.chance.choice([p for w in self.cluster.workers for p in one.below(w.pid)] or [0])

    def kill(self, pid, number=signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            if pid:
                os.kill(pid, number)

    # Each returns when whoever can go on does.

    def worker_dies(self):
        worker = self.chance.choice(self.cluster.workers)
        self.cluster.end_worker(worker, signal.SIGKILL)
        self.cluster.start_worker(1)

    def process_dies(self):
        self.kill(self.victim())

    def relay_dies(self):
        self.kill(self.chance.choice(one.children(self.search.pid) or [0]))

    def server_dies(self):
        self.cluster.kill_server()
        time.sleep(self.chance.choice((0, 0.5, 3)))
        self.cluster.start_server()

    def worker_stands_still(self):
        worker = self.chance.choice(self.cluster.workers)
        stopped = [worker.pid, *one.below(worker.pid)]
        for pid in stopped:
            self.kill(pid, signal.SIGSTOP)
        time.sleep(self.chance.choice((1, 4, 22)))
        for pid in stopped:
            self.kill(pid, signal.SIGCONT)

    def server_stands_still(self):
        self.kill(self.cluster.server.pid, signal.SIGSTOP)
        time.sleep(self.chance.choice((0.5, 4)))
        self.kill(self.cluster.server.pid, signal.SIGCONT)

    def search_dies(self):
        self.search.kill()
        one.ended(self.search)
        one.wait_for("the checkpoint to be kept", lambda: not one.keepers(self.cluster))
        self.begin()

    def disk_is_full(self):
        self.disk.fill()
        time.sleep(self.chance.choice((0.5, 2)))
        self.disk.empty()
        self.cluster.kill_server()  # one that cannot write keeps nothing any more until it is started again
        self.cluster.start_server()

    def end(self, alone):
        said = one.ended(self.search)
        while self.search.returncode == REFUSED and re.match("heddle: (no NATS server answers|the NATS server) at", said):
            self.begin()  # the server was away when it began
            said = one.ended(self.search)
        bad = one.differs(said, EXECUTIONS)
        if bad:
            return bad, said
        found = re.search(r"the cluster kept ([\d,]+) execution", said)
        kept = int(found[1].replace(",", "")) if found else 0
        here = one.classes(self.hashes)
        if len(here) != EXECUTIONS - kept:
            return f"{len(here)} classes and {kept} kept", said
        if len(set(here)) != len(here):
            return f"{len(here) - len(set(here))} classes twice", said
        return (not set(here) <= alone or (not kept and set(here) != alone)) and "other classes", said


def trial(cluster, disk, program, chance, kinds, most, alone):
    """How many faults there were, by name; and what is wrong."""
    t = Trial(cluster, disk, program, chance)
    one.wait_for("somebody at work", lambda: not t.runs() or any(one.works(w) for w in cluster.workers))
    done = []
    for _ in range(chance.randint(1, most)):
        time.sleep(chance.uniform(0, 1.5))
        if not t.runs():
            break
        name = chance.choice(kinds)
        getattr(t, name)()
        done.append(name)
    begun = time.monotonic()
    bad, said = t.end(alone)
    t.hashes.unlink(missing_ok=True)
    again = re.search(r"given again: .*", said)
    return done, bad, time.monotonic() - begun, again[0] if again else ""


def classes_alone(cluster, program):
    file = cluster.folder / "alone"
    subprocess.run([one.HEDDLE, "explore", "--hashes", file, program, "--", *ARGUMENTS], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, timeout=one.LIMIT, env=cluster.environment, cwd=cluster.folder)
    alone = set(one.classes(file))
    file.unlink()
    return alone


def run(folder, faults, seed, kinds):
    program, disk = one.compile_increments(folder), SmallDisk(folder)
    cluster = one.Cluster(folder)
    chance, counts, count = random.Random(seed), {}, 0
    kinds = kinds or [name for name, value in vars(Trial).items() if callable(value) and re.search("dies$|still$|full$", name)]
    if not disk.mounted:
        print("ok - a full disk # SKIP no file system can be mounted here")
        kinds = [kind for kind in kinds if kind != "disk_is_full"]
    try:
        alone = classes_alone(cluster, program)
        one.case("one machine finds all classes", len(alone) != EXECUTIONS and f"{len(alone)} classes")
        cluster.start_worker(1)
        cluster.start_worker(1)
        while count < faults:
            done, bad, seconds, again = trial(cluster, disk, program, chance, kinds, min(MOST_AT_ONCE, faults - count), alone)
            count += len(done)
            for name in done:
                counts[name] = counts.get(name, 0) + 1
            print(f"# {count} faults; {seconds:.1f} s after the last; {again}", flush=True)
            one.case(f"{', '.join(done).replace('_', ' ') or 'nothing'}: the executions of one machine, none twice", bad)
    finally:
        cluster.close()
        disk.close()
    print("# " + ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in sorted(counts.items())))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", type=int, default=50 if one.FULL else 0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("kind", nargs="*", help="only these faults")
    arguments = parser.parse_args()
    why = one.nothing_to_test() or (not arguments.faults and "only with FULL=1 (make test-full): it takes minutes")
    if why:
        print(f"ok - faults on a cluster # SKIP {why}")
        return
    with tempfile.TemporaryDirectory(prefix="heddle-test-faults-") as name:
        run(pathlib.Path(name), arguments.faults, arguments.seed, arguments.kind)


if __name__ == "__main__":
    sys.exit(main())
