#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle show --run -i, through a pseudo-terminal: what is on the screen after which keys, and that the terminal is as it was
before, however the stepper ends.

Every case prints one line `ok - name` or `not ok - name`, which tests/run counts.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
PATIENCE = 20


def report(name, good, output=""):
    print(("ok - " if good else "not ok - ") + name, flush=True)
    if not good:
        for line in output.splitlines()[-60:]:
            print("    | " + line, flush=True)
    return good


class Screen:
    """As much of a terminal as is needed: where text goes, what is erased, what is reversed."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.erase()
        self.alternate, self.cursor, self.reverse = False, True, False
        self.row = self.column = 0
        self.rest = ""
        self.scrolled = False

    def erase(self):
        self.text = [[" "] * self.columns for _ in range(self.rows)]
        self.reversed = [False] * self.rows

    def sequence(self, parameters, letter):
        numbers = [int(n) for n in re.findall(r"\d+", parameters)]
        if letter == "H":
            self.row, self.column = (numbers + [1, 1])[0] - 1, 0
        elif letter == "K":
            self.text[self.row][self.column:] = [" "] * (self.columns - self.column)
            self.reversed[self.row] = self.reverse
        elif letter == "J":
            self.erase()
        elif letter == "m":
            self.reverse = 7 in numbers
        elif letter in "hl" and 1049 in numbers:
            self.alternate = letter == "h"
        elif letter in "hl" and 25 in numbers:
            self.cursor = letter == "h"

    def feed(self, data):
        self.rest += data
        while self.rest:
            found = re.match(r"\x1b\[([?\d;]*)([A-Za-z])", self.rest)
            if found:
                self.sequence(*found.groups())
                self.rest = self.rest[found.end():]
            elif self.rest[0] == "\x1b" and len(self.rest) < 12:
                return
            else:
                self.put(self.rest[0])
                self.rest = self.rest[1:]

    def put(self, character):
        if character in "\r\n" or self.row >= self.rows or self.column >= self.columns:
            self.scrolled |= character not in "\r"
            return
        self.text[self.row][self.column] = character
        self.column += 1

    def lines(self):
        return ["".join(row).rstrip() for row in self.text]

    def shown(self):
        return "\n".join(self.lines())

    def current(self):
        """The highlighted line."""
        marked = [line for line, reverse in zip(self.lines(), self.reversed) if reverse]
        return marked[0] if len(marked) == 1 else ""


class Session:
    def __init__(self, *arguments, rows=40, columns=110, program=HEDDLE, **variables):
        self.screen = Screen(rows, columns)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm", **variables})
            os.execv(program, [program, *arguments])
        self.resize(rows, columns)
        self.bytes = b""
        self.status = None

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def modes(self):
        """The input modes of the terminal that a shell would find."""
        return termios.tcgetattr(self.fd)[3] & (termios.ICANON | termios.ECHO | termios.ISIG)

    def read(self, seconds):
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        if not data:
            return False
        self.bytes += data
        self.screen.feed(data.decode(errors="replace"))
        return True

    def until(self, holds):
        """Reads until the screen is as wanted, and nothing more comes."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            while self.read(0.05):
                pass
            if holds(self.screen):
                return True
            if self.ended():
                return holds(self.screen)
        return False

    def ended(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if pid else None
        return self.status is not None

    def keys(self, text, holds):
        os.write(self.fd, text.encode())
        return self.until(holds)

    def close(self):
        end = time.monotonic() + PATIENCE
        while not self.ended() and time.monotonic() < end:
            self.read(0.02)
        if not self.ended():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        while self.read(0):
            pass
        return self.status


def at(pattern):
    return lambda screen: re.search(pattern, screen.current()) is not None


def shows(pattern):
    return lambda screen: re.search(pattern, screen.shown(), re.M) is not None


class Case:
    """Keys and what must come of them, in one session."""

    def __init__(self, session):
        self.session = session

    def expect(self, name, keys, *wanted):
        good = self.session.keys(keys, lambda screen: all(holds(screen) for holds in wanted))
        return report(name, good, self.session.screen.shown())


def test_keys(schedule):
    s = Session("show", "--run", "-i", schedule)
    case = Case(s)
    case.expect("it begins at the first step", "", at(r"^> +1 +main +bank\.c:34 +creates +T1"), shows(r"step 1 \(line 1 of"))
    report("the terminal takes keys one by one, on its second page, without a cursor",
           not s.modes() & (termios.ICANON | termios.ECHO) and s.screen.alternate and not s.screen.cursor)
    case.expect("the source of the step is shown", "", shows(r"^── .*bank\.c:34 in main ──"), shows(r"^> +34 +pthread_create"))
    case.expect("threads, before the step", "", shows(r"^\* main +bank\.c:34 +next: creates T1"), shows(r"^  T1 +is not there yet"))
    case.expect("j and the arrow go to the next step", "j\x1b[B", at(r"^> +\d+ +[▸▹]? ?(main|T\d)"), shows("line 3 of"),
                shows(r"^  main .*waits for the end of T1|^\* main"))
    case.expect("k and the arrow go back", "k\x1b[A", at(r"^> +1 +main"), shows("line 1 of"))
    case.expect("before the first there is none", "k", at(r"^> +1 +main"), shows("this is the first step"))
    case.expect("n goes to the next switch", "n", at(r"^> +\d+ [▸▹] "), shows("switch 1 of"))
    case.expect("and to the next", "n", at(r"^> +\d+ [▸▹] "), shows("switch 2 of"))
    case.expect("p goes to the one before", "p", at(r"^> +\d+ [▸▹] "), shows("switch 1 of"))
    case.expect("G goes to the end, which is the bug", "G", at(r"✗ assertion failed: total == 200"), shows(r"^> +40 .*assert"),
                shows("threads, at the end"), shows("T1 .*has ended"))
    case.expect("behind the end there is nothing", "j", at(r"assertion failed"), shows("this is the end"))
    case.expect("g goes to the first step", "g", at(r"^> +1 +main"))
    case.expect("t lists one thread", "t", shows("only main"), at(r"main "),
                lambda x: not re.search(r"^[> ] +\d+ +[▸▹]? *T[12] ", x.shown(), re.M))
    case.expect("then the next", "t", shows("only T1"), at(r"T1 "), lambda x: not re.search(r"^  +\d+ +[▸▹]? *main ", x.shown(), re.M))
    case.expect("then all", "tt", lambda x: "only" not in x.lines()[0])
    case.expect("a search is typed", "g/BALANCEX\x7f[1", shows(r"^/BALANCE\[1"))
    case.expect("and finds, whatever the case", "\r", at(r"balance\[1\]"))
    first = s.screen.current()
    case.expect("N searches again", "N", lambda x: re.search(r"balance\[1\]", x.current()) and x.current() != first)
    case.expect("what is not there is said", "/nonsense\r", shows('no step has "nonsense"'), at(r"balance\[1\]"))
    case.expect("escape ends a search", "/x\x1b", lambda x: not re.search(r"^/", x.lines()[-1]))
    case.expect("a key that means nothing is said to", "x", shows(r"\? shows the keys"))
    case.expect("? shows the keys, any key ends that", "?", shows("the next context switch, the one before"))
    case.expect("and the steps are back", " ", at(r"balance\[1\]"))
    s.resize(12, 50)
    s.screen = Screen(12, 50)
    case.expect("a smaller window is drawn anew by itself, and not overrun", "", at(r"balance\[1\]"),
                lambda x: not x.scrolled and x.lines()[-1].startswith("↓↑ step"))
    s.resize(3, 20)
    s.screen = Screen(3, 20)
    case.expect("a tiny one, too", "j", lambda x: not x.scrolled and x.current().startswith(">"))
    before = s.modes()
    os.write(s.fd, b"q")
    status = s.close()
    report("q ends it with status 0", os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, str(status))
    report("and the terminal is as it was", is_restored(s) and before != s.after, s.screen.shown())


def is_restored(session):
    """The end of what was written puts cursor and page back; the modes are those of a fresh terminal."""
    master, slave = pty.openpty()
    fresh = termios.tcgetattr(slave)[3] & (termios.ICANON | termios.ECHO | termios.ISIG)
    os.close(master)
    os.close(slave)
    try:
        session.after = session.modes()
    except termios.error:
        session.after = None
    return session.after == fresh and not session.screen.alternate and session.screen.cursor


def test_signals(schedule):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV):
        s = Session("show", "--run", "-i", schedule)
        s.until(at("^> +1 "))
        os.kill(s.pid, number)
        status = s.close()
        report(f"{number.name}: it dies of it, the terminal is as it was",
               os.WIFSIGNALED(status) and os.WTERMSIG(status) == number and is_restored(s), s.screen.shown())
    s = Session("show", "--run", "-i", schedule)
    s.until(at("^> +1 "))
    os.write(s.fd, b"\x03")
    status = s.close()
    report("Ctrl-C ends it", os.WIFSIGNALED(status) and is_restored(s), str(status))


def test_stop(schedule):
    """Under a shell with job control: Ctrl-Z gives the terminal back to it; fg, and the screen is there again."""
    script = '"$0" show --run -i "$1"; echo stopped; read -r line; fg >/dev/null; echo "status $?"'
    s = Session("-m", "-c", script, HEDDLE, schedule, program="/bin/bash")
    s.until(at("^> +1 "))
    os.write(s.fd, b"\x1a")
    stopped = s.until(lambda screen: b"stopped\r\n" in s.bytes)
    report("Ctrl-Z: the terminal is as it was", stopped and is_restored(s), repr(s.bytes[-200:]))
    os.write(s.fd, b"\n")
    s.until(at("^> +1 "))
    good = s.keys("j", lambda screen: screen.alternate and "line 2 of" in screen.shown())
    report("fg: the screen is there again", good and s.modes() != s.after, s.screen.shown())
    os.write(s.fd, b"q")
    s.close()
    report("and ends as ever", is_restored(s) and b"status 0" in s.bytes, repr(s.bytes[-200:]))


def test_locks(schedule):
    case = Case(Session("show", "--run", "-i", schedule))
    case.expect("a deadlock: who waits for whom, and holds what", "G", at("✗ deadlock: T1 and T2 wait for each other"),
                shows(r"^  T1 +abba_deadlock\.c:30 +waits to lock account\[1\]\.lock, held by T2; holds account\[0\]\.lock"),
                shows(r"^  T2 +abba_deadlock\.c:30 +waits to lock account\[0\]\.lock, held by T1; holds account\[1\]\.lock"))
    os.write(case.session.fd, b"q")
    case.session.close()


def test_no_terminal(schedule):
    done = subprocess.run([HEDDLE, "show", "--run", "-i", schedule], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    report("without a terminal, one line says so", done.returncode == 2 and not done.stdout and
           done.stderr == "heddle: show -i needs a terminal; heddle show --run --trace prints all steps\n", done.stderr)
    s = Session("show", "--run", "-i", schedule, TERM="dumb")
    status = s.close()
    report("nor on one that knows no escapes", os.WEXITSTATUS(status) == 2 and b"\x1b" not in s.bytes and
           b"needs a terminal" in s.bytes, repr(s.bytes))


def main():
    for source in (os.path.join(ROOT, "examples", "bank.c"), os.path.join(ROOT, "tests", "subjects", "abba_deadlock.c")):
        subprocess.run([HEDDLE, "check", "--time", "20s", source], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=100, check=False)
    bank, abba = "heddle-out/bank-1.hd", "heddle-out/abba_deadlock-1.hd"
    if not report("schedules were recorded", os.path.exists(bank) and os.path.exists(abba)):
        return
    test_keys(bank)
    test_signals(bank)
    test_stop(bank)
    test_locks(abba)
    test_no_terminal(bank)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        main()
        os.chdir("/")
    sys.exit(0)
