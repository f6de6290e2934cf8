#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A search on two hosts: network namespaces with addresses of their own, and a link between them that loses and delays packets.

The server and the search are on one host, workers on both; what goes from one to the other goes through this process, which
has the other ends of two virtual interfaces and drops packets by chance. With FULL=1, or by itself with --loss; where namespaces cannot be made it
says so. The executions are those of one machine.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import argparse
import contextlib
import fcntl
import os
import pathlib
import random
import select
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cluster as one  # noqa: E402

HERE, THERE = f"heddle{os.getpid()}a", f"heddle{os.getpid()}b"
ADDRESS = {HERE: "192.0.2.1", THERE: "192.0.2.2"}  # of documentation: they are nobody's


def ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True).returncode == 0


class Link(threading.Thread):
    """Between the hosts, packet by packet."""

    def __init__(self):
        super().__init__(daemon=True)
        self.loss = self.delay = 0
        self.lost = self.passed = 0
        self.ends = [self.open_end(host) for host in ADDRESS]
        self.start()

    def open_end(self, host):
        """The file of an interface of the host: what is written there, it gets."""
        end = os.open("/dev/net/tun", os.O_RDWR)
        set_interface, tun_without_head = 0x400454CA, 0x1001
        name = f"{host[-7:]}"
        fcntl.ioctl(end, set_interface, struct.pack("16sH22x", name.encode(), tun_without_head))
        ip("link", "set", name, "netns", host)
        ip("-n", host, "address", "add", f"{ADDRESS[host]}/24", "dev", name)
        ip("-n", host, "link", "set", name, "up")
        ip("-n", host, "link", "set", "lo", "up")
        return end

    def run(self):
        with contextlib.suppress(OSError):  # the hosts are removed
            self.pass_on(random.Random(1), [])

    def pass_on(self, chance, waiting):
        while True:
            left = max(0, waiting[0][0] - time.monotonic()) if waiting else 0.1
            for end in select.select(self.ends, [], [], left)[0]:
                packet = os.read(end, 65536)
                if chance.random() * 100 < self.loss:
                    self.lost += 1
                else:
                    waiting.append((time.monotonic() + self.delay / 1000, self.ends[end == self.ends[0]], packet))
            while waiting and waiting[0][0] <= time.monotonic():
                _, end, packet = waiting.pop(0)
                os.write(end, packet)
                self.passed += 1


def make_hosts():
    """The link between two hosts; None: there can be none here."""
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        for host in ADDRESS:
            ip("netns", "add", host)
        return Link()
    return None


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
            link = make_hosts()
            if not link:
                print("ok - a search on two hosts # SKIP no network namespaces, or no interfaces, can be made here")
                return
            folder = pathlib.Path(name)
            program = one.compile_increments(folder)
            hosts = Hosts(folder)
            search(hosts, program, "two hosts find the classes of one machine", one.LARGE)
            link.loss, link.delay = arguments.loss, arguments.delay
            search(hosts, program, f"with {arguments.loss:g} of 100 packets lost and {arguments.delay:g} ms of delay", one.LARGE)
            one.case("packets were lost", not link.lost and "none was")
            print(f"# {link.passed} packets passed, {link.lost} lost")
        finally:
            if hosts:
                hosts.close()
            remove_hosts()


if __name__ == "__main__":
    sys.exit(main())
