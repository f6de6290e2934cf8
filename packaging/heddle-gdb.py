# SPDX-License-Identifier: Apache-2.0
"""heddle's commands for gdb, loaded by `heddle replay --gdb`.

The tested program runs under a schedule. Its threads are fibers of one kernel thread: what gdb calls threads are parked
and of no interest. So the threads of the program are read from the runtime in libheddle.so (`rt`, src/worlds/threads/runtime.h),
by its debug information, and a thread that is not running is shown by putting the registers it saved on its stack into
the processor for a moment. Processes that the program forks are gdb's inferiors; the runtime's state is shared by all of
them, and one of them has the turn.

The runtime calls heddle_stands() where it was asked to stand (src/worlds/threads/process/debugger.c); a breakpoint is there. Nothing
here decides what the program does: every run follows the same schedule, so going back is running again.
"""
import contextlib
import os
import re
import shlex
import signal
import struct

import gdb

NOT, AT_START, AT_STEP, AT_BUG, AT_END = range(5)  # enum debugger_reason
THREAD, DESCRIPTOR, NOTHING = "thread", "descriptor", "nothing"  # kinds of objects, as in core/operation.h
NAMELESS = (NOTHING, "channel", "process", "message queue", "semaphore set", "asynchronous request")
LOCKS = ("mutex", "spin lock", "read-write lock", "once")

PRIVATE_BELOW = 126  # spaces of memory that are processes (enum space, src/core/footprint.h)

WAITS = {
    "mutex-lock": "waits to lock", "spin-lock": "waits to lock", "rwlock-rdlock": "waits to read-lock",
    "rwlock-wrlock": "waits to write-lock", "join": "waits for the end of", "cond-wake": "waits on",
    "cond-timedwake": "waits on", "sem-wait": "waits for semaphore", "barrier-leave": "waits at barrier",
    "once-enter": "waits for the once-only call of", "futex-block": "sleeps on futex",
    "fd-wait": "waits for descriptor", "process-wait": "waits for a child to end",
    "channel-receive": "waits to read from a pipe or socket", "channel-send": "waits to write to a pipe or socket",
    "channel-accept": "waits for a connection", "channel-connect": "waits to be connected",
}


# ---- saying ----

def say(text):
    """Names of files and what the program printed may hold what a terminal would act on."""
    gdb.write("".join(f"\\x{ord(c):02x}" if ord(c) < 32 and c not in "\n\t" or 127 <= ord(c) < 160 else c for c in text))


# ---- the runtime's state ----

def library():
    for objfile in gdb.objfiles():
        if os.path.basename(objfile.filename or "").startswith("libheddle.so"):
            return objfile
    raise gdb.GdbError("the program was not started yet; type run")


def runtime_value(name):
    symbol = library().lookup_global_symbol(name)
    if symbol is None:
        raise gdb.GdbError("libheddle.so has no debug information; build heddle without stripping it")
    return symbol.value()


def runtime():
    if not gdb.selected_inferior().pid:
        raise gdb.GdbError("the program does not run; type run, or heddle back")
    return runtime_value("rt")


def debugger():
    return runtime()["control"]["debugger"]


def tell_runtime(step=0, switch=0):
    """Where to stand next."""
    state = debugger()
    for field, number in (("stop_step", step), ("stop_switch", switch)):
        address = int(state[field].address)
        gdb.selected_inferior().write_memory(address, struct.pack("<Q", number))


def in_set(threads, number):
    return bool(int(threads["word"][number >> 6]) >> (number & 63) & 1)


class Operation:
    """What a thread is about to do."""

    def __init__(self, value):
        info = runtime_value("op_table")[int(value["kind"])]
        self.name = info["name"].string()
        self.phrase = info["phrase"].string()
        self.kind = runtime_value("object_kind_name")[int(info["object"])].string()
        self.address, self.argument = int(value["addr"]), int(value["arg"])
        self.pc, self.object = int(value["pc"]), int(value["object"])
        self.length, self.space = int(value["length"]), int(value["space"])

    def subject(self, threads):
        if self.name == "signal-send":  # as SENT_TO in core/operation.h has it
            return f"{signal_name(self.argument)} to {threads[self.length >> 1].name}"
        if self.kind == THREAD and self.name in ("start", "exit", "create", "detach"):
            return ""
        if self.kind == THREAD:
            return threads[self.argument].name if self.argument < len(threads) else "a thread"
        if self.kind == DESCRIPTOR:
            return str(self.address)
        return owned_name(self.address, self.space, threads) if self.kind not in NAMELESS else ""


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def owned_name(address, space, threads):
    """With the process that has it, if that is another than the first: P1's count"""
    owner = next((t.name for t in threads if t.process == space), "") if 0 < space < PRIVATE_BELOW else ""
    return (f"{owner}'s " if owner else "") + memory_name(address)


class Thread:
    """A thread of the tested program."""

    def __init__(self, rt, number, threads):
        state = rt["engine"]["thread"][number]
        info = rt["control"]["thread"][number]
        self.number, self.name = number, self.label(info, threads)
        self.given_name = info["name"].string(errors="replace")
        self.start, self.made_at = int(info["start"]), int(info["made_at"])
        self.process, self.parent = int(info["process"]), int(info["parent"])
        self.image = int(info["image"])
        self.current = number == int(rt["engine"]["current"])
        self.announced = bool(state["alive"])  # else it has no operation yet, or none any more
        self.alive = self.announced or (self.current and not rt["thread"][number]["finished"])
        self.pending = Operation(state["pending"])
        self.waits = self.announced and bool(state["may_block"]) and not in_set(rt["engine"]["enabled"], number)

    @staticmethod
    def label(info, threads):
        """As src/schedule/thread_name.h has it."""
        if not int(info["nth"]):
            return "main"
        parent, nth = threads[int(info["parent"])], int(info["nth"])
        begins = int(info["process"]) != parent.process
        if parent.name == "main":
            return f"{'P' if begins else 'T'}{nth}"
        return f"{parent.name}.{'P' if begins else ''}{nth}"

    def is_on_its_stack(self):
        """In the inferior of its process: the registers there are its own."""
        own = int(runtime_value("hd_self"))
        return not own or own == int(runtime()["engine"]["thread"][self.number].address)


def all_threads():
    rt = runtime()
    threads = []
    for number in range(int(rt["engine"]["threads"])):
        threads.append(Thread(rt, number, threads))
    return threads


class Lock:
    def __init__(self, value):
        self.address, self.space = int(value["addr"]), int(value["space"])
        self.owner, self.since = int(value["owner"]), int(value["owner_pc"])
        self.readers = value["readers"]

    def holders(self, threads):
        return [t for t in threads if t.number == self.owner or in_set(self.readers, t.number)]


def all_locks():
    """The locks that somebody holds, by the number of the object."""
    known, locks = runtime_value("heddle_known"), {}
    names = runtime_value("object_kind_name")
    kinds = {i for i in range(int(names.type.range()[1]) + 1) if names[i].string() in LOCKS}
    for number in range(1, int(known["count"]) + 1):
        value = known["objects"][number]
        if int(value["kind"]) in kinds and not value["forgotten"] and not value["destroyed"]:
            locks[number] = Lock(value)
    return locks


# ---- names ----

def part_name(kind, offset):
    """The part of a variable of that type at the offset: [1].lock"""
    kind = kind.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY and kind.target().sizeof:
        size = kind.target().sizeof
        return f"[{offset // size}]" + part_name(kind.target(), offset % size)
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        for field in kind.fields():
            if not hasattr(field, "bitpos") or not field.name or field.is_base_class:
                continue
            start = field.bitpos // 8
            if start <= offset < start + field.type.sizeof and not field.name.startswith(("__", "_M_")):
                return f".{field.name}" + part_name(field.type, offset - start)
    return f"+{offset}" if offset and kind.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR) else ""


def variable_type(name):
    for look_up in (gdb.lookup_global_symbol, gdb.lookup_static_symbol):
        symbol = look_up(name)
        if symbol is not None and symbol.is_variable:
            return symbol.type
    return None


def variables_of(frame):
    """The local variables that can be seen in a frame, with their values."""
    block = frame.block()
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                yield symbol.name, symbol.value(frame)
        block = block.superblock


def name_by_storage(name, value, address):
    """If the variable itself is there: account[1].lock"""
    start = int(value.address) if value.address is not None else 0
    if not start or not start <= address < start + value.type.sizeof:
        return None
    return name + part_name(value.type, address - start)


def name_by_pointer(name, value, address):
    """If the variable points there: job->lock"""
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_PTR or kind.target().strip_typedefs().code == gdb.TYPE_CODE_VOID:
        return None
    start = int(value)
    if not start or not start <= address < start + kind.target().sizeof:
        return None
    part = part_name(kind.target(), address - start)
    return f"{name}->{part[1:]}" if part.startswith(".") else f"*{name}"


def name_on_stack(address, name_by):
    """By a variable of the program's own frames of the thread looked at; None for none."""
    frame = gdb.newest_frame()
    while frame is not None:
        for variable, value in variables_of(frame) if is_own(frame) else ():
            with contextlib.suppress(gdb.error):  # optimised out, or nowhere
                name = name_by(variable, value, address)
                if name:
                    return f"{name} of {frame.name()}"
        frame = frame.older()
    return None


def local_name(address):
    """By a variable on the stack of some thread, or else by a pointer there; None for none."""
    threads = sorted((t for t in all_threads() if t.alive), key=lambda t: not t.current)
    for name_by in (name_by_storage, name_by_pointer):
        for thread in threads:
            with looking_at(thread):
                name = name_on_stack(address, name_by)
                if name:
                    return name
    return None


def memory_name(address):
    text = gdb.execute(f"info symbol {address:#x}", to_string=True)
    found = re.match(r"(.+?)(?: \+ (\d+))? in section", text)
    if not found:
        return local_name(address) or f"{address:#x}"
    name, offset = found.group(1), int(found.group(2) or 0)
    kind = variable_type(name)
    if kind is None:
        return f"{name}+{offset}" if offset else name
    return name + part_name(kind, offset)


def line_name(pc):
    """Of the code a return address belongs to: bank.c:21"""
    found = gdb.find_pc_line(pc - 1)
    if found.symtab is None:
        return memory_name(pc - 1)
    return f"{os.path.basename(found.symtab.filename)}:{found.line}"


def of_runtime(frame):
    name = gdb.solib_name(frame.pc()) if frame.is_valid() else None
    return name is not None and os.path.basename(name).startswith("libheddle.so")


def is_own(frame):
    """Code that the user wrote: not a library's, nor from a header of the system."""
    if frame.type() not in (gdb.NORMAL_FRAME, gdb.INLINE_FRAME) or gdb.solib_name(frame.pc()) is not None:
        return False
    symtab = frame.find_sal().symtab
    return symtab is not None and not symtab.fullname().startswith(("/usr/include/", "/usr/lib/"))


def own_frame():
    """The innermost frame of the program's own code, else of any code that is not the runtime's."""
    frame, other = gdb.newest_frame(), None
    while frame is not None:
        if is_own(frame):
            return frame
        if frame.type() == gdb.NORMAL_FRAME and not of_runtime(frame):
            other = other or frame
        frame = frame.older()
    return other


# ---- the stacks of threads that are not running ----

SAVED = ("r15", "r14", "r13", "r12", "rbx", "rbp", "rip")  # by switch_fiber (src/worlds/threads/thread/switch.S), above one word


def set_registers(values):
    for name, number in values.items():
        gdb.newest_frame().select()  # whatever gdb takes the stack for by now: only there a register is the register
        gdb.execute(f"set var ${name} = {number}", to_string=True)


def select_level(level):
    """Without a word, unlike gdb's command."""
    frame = gdb.newest_frame()
    for _ in range(level):
        frame = frame.older()
    frame.select()


def inferior_of(process):
    """What gdb calls a process of the program; None: it is gone, or not begun."""
    pid = int(runtime()["process"][process]["real"]) or (int(runtime()["first_process"]) if not process else 0)
    if not process and not pid:
        return gdb.inferiors()[0]  # it has not forked
    return next((i for i in gdb.inferiors() if pid and i.pid == pid), None)


def kernel_thread(inferior):
    """All fibers of a process run on the initial one."""
    for thread in inferior.threads() if inferior else ():
        if thread.ptid[1] == inferior.pid:
            return thread
    raise gdb.GdbError("that process does not run; type run, or heddle back")


@contextlib.contextmanager
def looking_at(thread):
    """gdb sees the stack of that thread of the program, until the end of the block."""
    before = gdb.selected_thread()
    kernel_thread(inferior_of(thread.process)).switch()
    level = gdb.selected_frame().level()
    newest = gdb.newest_frame()
    moved = not thread.is_on_its_stack()
    saved = {name: int(newest.read_register(name)) & (1 << 64) - 1 for name in SAVED + ("rsp",)} if moved else {}
    try:
        if moved:
            sp = int(runtime()["thread"][thread.number]["fiber"]["sp"])
            words = struct.unpack("<8Q", gdb.selected_inferior().read_memory(sp, 64).tobytes())
            set_registers({**dict(zip(SAVED, words[1:])), "rsp": sp + 64})
        own = own_frame()
        if own is not None:
            own.select()
        yield
    finally:
        if moved:
            set_registers(saved)
        select_level(level)
        before.switch()


class HideRuntime:
    """A frame filter: backtraces begin in the program. `bt -no-filters` shows all."""

    name, priority, enabled = "heddle", 100, True

    def filter(self, frames):
        return (frame for frame in frames if not of_runtime(frame.inferior_frame()))


gdb.frame_filters[HideRuntime.name] = HideRuntime()


# ---- standing ----

class Session:
    """Where the program stands, and where the next run is to stand."""

    step = switches = switch_step = 0
    reason = NOT
    breaks = set()
    target = {}  # arguments of tell_runtime() at the next start
    told = False  # that it stands where it does

    @classmethod
    def read(cls):
        state = debugger()
        cls.reason, cls.step = int(state["reason"]), int(state["step"])
        cls.switches, cls.switch_step = int(state["switches"]), int(state["switch_step"])

    @classmethod
    def next_break(cls):
        later = [step for step in cls.breaks if step > cls.step]
        return min(later) if later else 0


class Stand(gdb.Breakpoint):
    """Where the runtime stands still."""

    placed = None

    def __init__(self):
        super().__init__("heddle_stands", internal=True)
        self.silent = True

    @classmethod
    def place(cls, event):
        """As soon as the runtime is loaded; from then on gdb places it again by itself."""
        if cls.placed is None and os.path.basename(event.new_objfile.filename).startswith("libheddle.so"):
            cls.placed = cls()

    def stop(self):
        Session.read()
        Session.told = False
        if Session.reason != AT_START:
            tell_runtime(step=Session.next_break())  # where gdb's own continue leads
            return True
        wanted, Session.target = Session.target, {}
        tell_runtime(**(wanted or {"step": Session.next_break()}))
        return False


def next_action(threads):
    thread = next(t for t in threads if t.current)
    operation = thread.pending
    subject = operation.subject(threads)
    return f"{thread.name} {operation.phrase}{' ' if subject else ''}{subject}"


def banner():
    threads = all_threads()
    at = f"step {Session.step}, switch {Session.switches}"
    if Session.reason == AT_STEP:
        return f"{at}: next, {next_action(threads)}"
    if Session.reason == AT_BUG:
        message = os.environ.get("HEDDLE_GDB_BUG") or "the program fails"
        return f"the bug, after {at}: {message}"
    if Session.reason == AT_END:
        error = runtime()["control"]["error"].string(errors="replace")
        return f"the execution is over, after {at}{': ' + error if error else ''}"
    return f"{next(t for t in threads if t.current).name}, after {at}"


def on_stop(event):
    """Says where the program stands, and shows its own code rather than the runtime's."""
    at_ours = gdb.selected_frame().name() == "heddle_stands"
    if Session.told and at_ours:
        return
    Session.told = True
    try:
        Session.read()
        say(f"[heddle] {banner()}\n")
        if at_ours and Session.reason != AT_END:
            frame = own_frame()
            if frame is not None:
                frame.select()
                gdb.execute("frame")
    except (gdb.GdbError, gdb.error):
        pass  # before the runtime is there


gdb.events.stop.connect(on_stop)


def resume(command):
    """Runs a command of gdb that lets the program go, without gdb's own remarks."""
    text = gdb.execute(command, to_string=True)
    dull = ("Continuing.", "Starting program:", "[Thread debugging", "Using host libthread_db", "[Switching to", "Reading symbols from")
    for line in text.splitlines():
        if line and not line.startswith(dull):
            say(line + "\n")


def go_on(**target):
    """Lets the program go on to a step or a switch."""
    if Session.reason == AT_END:
        raise gdb.GdbError("the execution is over; heddle back goes back, run starts again")
    later = Session.next_break()
    if later:
        target["step"] = min(target.get("step", later), later)
    tell_runtime(**target)
    resume("continue")


def run_to(**target):
    """Runs the program again, up to a step or a switch; without, to the bug."""
    Session.target = target
    forget_copies()
    resume("run")


def forget_copies():
    """Processes that the program forked: the next run has its own."""
    first, *copies = sorted(gdb.inferiors(), key=lambda i: i.num)
    if first.threads():
        first.threads()[0].switch()
    for copy in copies:
        if copy.pid:
            gdb.execute(f"kill inferiors {copy.num}", to_string=True)
        gdb.execute(f"remove-inferiors {copy.num}", to_string=True)


# ---- commands ----

class Heddle(gdb.Command):
    """Threads and steps of a program that heddle runs.

heddle threads         the program's threads: where each stands, what it does next, locks
heddle thread N [CMD]  its own backtrace, or another command of gdb in its place
heddle processes       the program's processes: where each comes from, its number in gdb
heddle process P1      look at that process from now on; what goes on is all of them
heddle why             who waits for whom
heddle step            go on to the next step (scheduling point)
heddle next-switch     go on to the next context switch
heddle back            run again, up to the context switch before
heddle goto N          stop before step N, running again if it is in the past
heddle break [N]       always stop before step N; without N, list them
heddle output          what the program has printed
run                    run again, up to the bug"""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_RUNNING, prefix=True)


def command(name):
    """Makes `heddle NAME` of a function; its text is the help."""
    def register(function):
        def invoke(self, argument, from_tty):
            function(argument.strip())
        members = {"invoke": invoke, "__doc__": function.__doc__}
        kind = type(name, (gdb.Command,), members)
        kind(f"heddle {name}", gdb.COMMAND_RUNNING)
        return function
    return register


Heddle()


def number_of(text, what):
    if not text.isdigit() or not int(text):
        raise gdb.GdbError(f"{what} takes the number of a step, as heddle replay --trace lists them")
    return int(text)


def place_of(thread):
    with looking_at(thread):
        frame = own_frame()
        if frame is None:
            known = gdb.find_pc_line(thread.start).symtab is not None
            return line_name(thread.start + 1) if known else "its start"
        line = frame.find_sal()
        where = f"{os.path.basename(line.symtab.filename)}:{line.line}" if line.symtab else "?"
        return f"{where} in {frame.name() or '?'}"


def next_of(thread, threads):
    operation = thread.pending
    subject = operation.subject(threads)
    subject = " " + subject if subject else ""
    if thread.waits:
        return WAITS.get(operation.name, "waits: " + operation.phrase) + subject
    if not thread.announced:
        return "runs"
    if thread.current and Session.reason != AT_STEP:
        return "runs; its last step: " + operation.phrase + subject
    return "next: " + operation.phrase + subject


@command("threads")
def list_threads(_):
    """The threads of the program: where each stands, what it does next, what it holds."""
    threads, locks = all_threads(), all_locks()
    for thread in threads:
        given = f" ({thread.given_name})" if thread.given_name else ""
        head = f"{'*' if thread.current else ' '} {thread.number:<3} {thread.name + given:<12}"
        if thread.alive:
            say(f"{head} {place_of(thread):<32} {next_of(thread, threads)}\n")
        else:
            say(f"{head} has ended\n")
        for lock in locks.values():
            if thread in lock.holders(threads):
                since = f", since {line_name(lock.since)}" if lock.since else ""
                say(f"{'':19}holds {owned_name(lock.address, lock.space, threads)}{since}\n")


def first_threads(threads):
    """Of each process, by its number."""
    first = {}
    for thread in threads:
        first.setdefault(thread.process, thread)
    return first


def made_in(thread):
    """Where it was forked, if that is the program's own code."""
    return "" if gdb.solib_name(thread.made_at) else f" at {line_name(thread.made_at)}"


@command("processes")
def list_processes(_):
    """The processes of the program: where each comes from, and which of gdb's inferiors it is."""
    threads = all_threads()
    current = next(t for t in threads if t.current).process
    for number, first in first_threads(threads).items():
        inferior = inferior_of(number)
        mark = "*" if number == current else " "
        origin = f"forked by {threads[first.parent].name}{made_in(first)}" if number else "the first"
        runs = f", runs {first.given_name}" if first.image and first.given_name else ""
        state = f"inferior {inferior.num}" if inferior else "has ended"
        state = "has ended" if runtime()["process"][number]["ended"] else state
        say(f"{mark} {first.name:<12} {origin}{runs}; {state}\n")


@command("process")
def look_at_process(argument):
    """heddle process P1: look at that process from now on, where it stands. What goes on is all of them."""
    found = [t for t in first_threads(all_threads()).values() if t.name == argument]
    if not found:
        raise gdb.GdbError(f"there is no process \"{argument}\"; heddle processes lists them")
    kernel_thread(inferior_of(found[0].process)).switch()
    frame = own_frame()
    if frame is not None:
        frame.select()
        gdb.execute("frame")


@command("thread")
def look_at_thread(argument):
    """heddle thread N [COMMAND]: the backtrace of a thread of the program, or another command of gdb in its place.

N is the number or the name that heddle threads shows. Example: heddle thread T2 bt full"""
    wanted, _, rest = argument.partition(" ")
    threads = all_threads()
    found = [t for t in threads if wanted in (str(t.number), t.name, t.given_name or t.name)]
    if not found:
        raise gdb.GdbError(f"there is no thread \"{wanted}\"; heddle threads lists them")
    thread = found[0]
    if not thread.alive:
        raise gdb.GdbError(f"{thread.name} has ended")
    with looking_at(thread):
        if own_frame() is None:
            say(f"{thread.name} has not started yet; it begins in {memory_name(thread.start)}\n")
        else:
            gdb.execute(rest or "bt")


def waits_for(thread, threads, locks):
    """The threads that could let it go on."""
    operation = thread.pending
    if operation.kind == THREAD:
        return [t for t in threads if t.number == operation.argument]
    lock = locks.get(operation.object)
    return [t for t in lock.holders(threads) if t is not thread] if lock else []


def circle_from(thread, edges):
    path = [thread]
    while edges.get(path[-1].number):
        following = edges[path[-1].number][0]
        if following in path:
            return path[path.index(following):]
        path.append(following)
    return []


@command("why")
def tell_why(_):
    """Who waits for whom, and for what."""
    threads, locks = all_threads(), all_locks()
    waiting = [t for t in threads if t.waits]
    edges = {}
    for thread in waiting:
        edges[thread.number] = waits_for(thread, threads, locks)
        lock = locks.get(thread.pending.object)
        names = " and ".join(t.name for t in edges[thread.number])
        since = f" since {line_name(lock.since)}" if lock and lock.since else ""
        held = f", held by {names}{since}" if lock and names else ""
        say(f"{thread.name} {next_of(thread, threads)} ({place_of(thread)}){held}\n")
    circle = next(filter(None, (circle_from(t, edges) for t in waiting)), [])
    if circle:
        say("in a circle: " + " → ".join(t.name for t in circle + circle[:1]) + "\n")
    if not waiting:
        say("no thread waits\n")


@command("step")
def go_step(_):
    """Go on to the next step: one scheduling point of any thread."""
    go_on(step=Session.step + 1)


@command("next-switch")
def go_next_switch(_):
    """Go on to the next context switch."""
    go_on(switch=Session.switches + 1)


@command("back")
def go_back(_):
    """Run again, up to the context switch before; from the first one, up to the first step."""
    before = Session.switches
    if Session.reason == AT_STEP and Session.step == Session.switch_step:
        before -= 1
    run_to(**({"switch": before} if before > 0 else {"step": 1}))


@command("goto")
def go_to(argument):
    """heddle goto N: stop before step N, running the program again if it is in the past."""
    step = number_of(argument, "heddle goto")
    if gdb.selected_inferior().pid and Session.step < step and Session.reason in (NOT, AT_STEP):
        go_on(step=step)
    else:
        run_to(step=step)


@command("break")
def set_break(argument):
    """heddle break N: stop before step N, in this run and in those to come; heddle break -N forgets it."""
    if not argument:
        for step in sorted(Session.breaks):
            say(f"step {step}\n")
    elif argument.startswith("-"):
        Session.breaks.discard(number_of(argument[1:], "heddle break"))
    else:
        step = number_of(argument, "heddle break")
        Session.breaks.add(step)
        say(f"[heddle] stops before step {step}\n")
    if gdb.selected_inferior().pid:
        tell_runtime(step=Session.next_break())


@command("output")
def print_output(_):
    """What the program has printed so far in this run."""
    control = runtime()["control"]
    size = min(int(control["output_bytes"]), 1 << 26)
    text = gdb.selected_inferior().read_memory(int(control) + int(gdb.parse_and_eval("CONTROL_OUTPUT_OFFSET")), size).tobytes() if size else b""
    say(text.decode(errors="replace"))


# ---- the start ----

def begin():
    for setting in ("confirm off", "pagination off", "print thread-events off", "breakpoint pending on",
                    "startup-with-shell on", "disable-randomization on", "detach-on-fork off", "schedule-multiple on",
                    "print inferior-events off", "print symbol-loading off"):
        gdb.execute("set " + setting)
    # The runtime's: crashes of the program are told as its bugs, after these.
    for signal in ("SIGSYS", "SIGURG", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL"):
        gdb.execute(f"handle {signal} nostop noprint pass", to_string=True)
    gdb.execute(f"set exec-wrapper {shlex.quote(os.environ['HEDDLE_GDB_SELF'])} --start-for-debugger")
    gdb.events.new_objfile.connect(Stand.place)
    gdb.execute("define hook-run\npython forget_copies()\nend")  # of whoever types run
    step = int(os.environ.get("HEDDLE_GDB_STEP") or 0)
    run_to(**({"step": step} if step else {}))
    say("type \"help heddle\" for what can be done here\n")


begin()
