#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A search on two hosts: network namespaces with addresses of their own, and a link between them that loses and delays.

The server and the search are on one host, workers on both; what goes from one to the other goes over a pair of virtual
interfaces, which exist in these namespaces alone. With FULL=1, or by itself with --loss; where namespaces cannot be made it
says so. The executions are those of one machine.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cluster as one  # noqa: E402

HERE, THERE = f"heddle{os.getpid()}a", f"heddle{os.getpid()}b"
ADDRESS = {HERE: "192.0.2.1", THERE: "192.0.2.2"}  # of documentation: they are nobody's


def ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True).returncode == 0


def make_hosts():
    """Whether there are two hosts with a link now."""
    if not (ip("netns", "add", HERE, check=False) and ip("netns", "add", THERE, check=False)):
        return False
    if not ip("link", "add", "link0", "netns", HERE, "type", "veth", "peer", "name", "link0", "netns", THERE, check=False):
        return False
    for host, address in ADDRESS.items():
        ip("-n", host, "address", "add", f"{address}/24", "dev", "link0")
        ip("-n", host, "link", "set", "link0", "up")
        ip("-n", host, "link", "set", "lo", "up")
    return True


def make_lossy(loss, delay):
    """Whether the link loses so many of 100 packets in each direction, and delays all."""
    return all(subprocess.run(["ip", "netns", "exec", host, "tc", "qdisc", "replace", "dev", "link0", "root", "netem", "loss", f"{loss}%",
                               "delay", f"{delay}ms"], capture_output=True).returncode == 0 for host in ADDRESS)


def remove_hosts():
    for host in ADDRESS:
        ip("netns", "del", host, check=False)


class Hosts(one.Cluster):
    """The server listens at the address of the first host."""

    address = ADDRESS[HERE]

    def command(self, *words, host=HERE):
        return ["ip", "netns", "exec", host, *words]


def search(hosts, program, name, executions):
    arguments, _ = executions
    alone, there = hosts.folder / "alone", hosts.folder / "there"
    subprocess.run([one.HEDDLE, "explore", "--hashes", alone, program, "--", *arguments], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, timeout=one.LIMIT, env=hosts.environment, cwd=hosts.folder)
    workers = [hosts.start_worker(1, host=HERE), hosts.start_worker(1, host=THERE)]
    search = hosts.explore(program, arguments, "--hashes", there)
    one.wait_for("the other host at work", lambda: one.works(workers[1]) or search.poll() is not None)
    said = one.ended(search)
    one.case(name, one.differs(said, executions[1]) or (one.classes(alone) != one.classes(there) and "other classes"))
    for worker in workers:
        hosts.end_worker(worker)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loss", type=float, default=5 if one.FULL else None, help="packets of 100")
    parser.add_argument("--delay", type=float, default=1, help="milliseconds")
    arguments = parser.parse_args()
    why = one.nothing_to_test() or (arguments.loss is None and "only with FULL=1 (make test-full)")
    if why:
        print(f"ok - a search on two hosts # SKIP {why}")
        return
    with tempfile.TemporaryDirectory(prefix="heddle-test-hosts-") as name:
        hosts = None
        try:
            if not make_hosts():
                print("ok - a search on two hosts # SKIP no network namespaces can be made here")
                return
            folder = pathlib.Path(name)
            program = one.compile_increments(folder)
            hosts = Hosts(folder)
            search(hosts, program, "two hosts find the classes of one machine", one.LARGE)
            if make_lossy(arguments.loss, arguments.delay):
                search(hosts, program, f"with {arguments.loss:g} of 100 packets lost and {arguments.delay:g} ms of delay", one.LARGE)
            else:
                print("ok - a link that loses # SKIP there is no netem here")
        finally:
            if hosts:
                hosts.close()
            remove_hosts()


if __name__ == "__main__":
    sys.exit(main())
