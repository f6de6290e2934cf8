#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README.md and docs/*.md do what they say: every command in them is run, and what they show of its output compared.

A page is a session in a folder of its own, from its first line to its last, with heddle first in PATH. Of its blocks,

    ```c queue.c          is written to that file (any language, if a name follows it)
    ```console            has lines `$ command`, each followed by what it prints
    ```sh                 has a command in each line, of which only the exit status is looked at
    ```text               is not run, and must not look like a command

A block without a language is an error. A comment before a block, which pages do not show, says more:

    <!-- test: status 1 -->             of the last command of the block; else 0 or 1, which is a bug found
    <!-- test: run COMMAND -->          is run before
    <!-- test: files PATH... -->        of the repository are copied here before
    <!-- test: not run, REASON -->      the block is for the reader only

In what is shown, … stands for anything, in a line or as lines of its own. Times, rates and numbers of executions are not
compared; blanks between words are one.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = pathlib.Path(os.environ.get("HEDDLE", ROOT / "build" / "heddle")).resolve()
LIMIT = 120
VAGUE = re.compile(r"\d[\d.,]* ?(?P<unit>executions?|runs?|ms|µs|s|min|%|MB)(?!\w)")
TIMES = r"(?:ms|µs|s|min)"


class Page:
    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(ROOT))
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-docs."))
        (self.folder / "home").mkdir()
        self.environment = {
            "PATH": f"{HEDDLE.parent}:{os.environ['PATH']}", "HOME": str(self.folder / "home"), "LC_ALL": "C.UTF-8",
            "XDG_STATE_HOME": str(self.folder / "home" / "state"), "ROOT": str(ROOT),
            "HEDDLE_PREFIX": str(HEDDLE.parent)}

    def run(self, command):
        """(status, output) of a command."""
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
        return done.returncode, done.stdout.decode(errors="replace")

    def blocks(self):
        """(line number, info string, lines, directives before it) of each block."""
        directives, block, start, info = [], None, 0, ""
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            if block is not None:
                if line.startswith("```"):
                    yield start, info, block, directives
                    directives, block = [], None
                else:
                    block.append(line)
            elif line.startswith("```"):
                start, info, block = number, line[3:].strip(), []
            elif found := re.fullmatch(r"<!-- test: (.*) -->", line):
                directives.append(found[1])


def pattern(line):
    """A regular expression for a line that is shown."""
    def literal(text):
        return re.sub(r"(?:\\? )+", r"\\s+", re.escape(text))
    parts = []
    for piece in re.split(r"(…)", line.strip()):
        if piece == "…":
            parts.append(".*")
            continue
        at = 0
        for vague in VAGUE.finditer(piece):
            unit = TIMES if re.fullmatch(TIMES, vague["unit"]) else vague["unit"].rstrip("s") + "s?"
            parts += [literal(piece[at:vague.start()]), r"\d[\d.,]* ?", unit]
            at = vague.end()
        parts.append(literal(piece[at:]))
    return "".join(parts)


def compare(shown, printed):
    """None if what was printed is what is shown, else the first line that is not."""
    printed = [line.strip() for line in printed.splitlines()]
    at, anything = 0, False
    for line in shown:
        if line.strip() == "…":
            anything = True
            continue
        wanted = re.compile(pattern(line))
        while anything and at < len(printed) and not wanted.fullmatch(printed[at]):
            at += 1
        if at == len(printed) or not wanted.fullmatch(printed[at]):
            return line
        at, anything = at + 1, False
    rest = [line for line in printed[at:] if line]
    return None if anything or not rest else f"(and then) {rest[0]}"


def commands_of(lines):
    """The commands of a console block, each with what is shown of its output."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((re.sub(r"\s{2,}#.*", "", line[2:]), []))
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError(f"output before a command: {line}")
    return [(command, shown[:-1] if shown and not shown[-1].strip() else shown) for command, shown in found]


def verdict(name, problem, output=""):
    print(f"ok - {name}" if not problem else f"not ok - {name} ({problem})")
    if problem:
        print("".join(f"    | {line}\n" for line in output.splitlines()[-30:]), end="")


def check_block(page, start, info, lines, directives):
    where = f"{page.name}:{start}"
    language, _, name = info.partition(" ")
    allowed = (0, 1)
    for directive in directives:
        word, _, rest = directive.partition(" ")
        if directive.startswith("not run, "):
            return print(f"# {where} is not run: {directive[9:]}")
        if word == "status":
            allowed = (int(rest),)
        elif word == "run":
            status, output = page.run(rest)
            if status:
                verdict(f"{where} {rest}", f"status {status}", output)
        elif word == "files":
            for file in rest.split():
                (shutil.copytree if (ROOT / file).is_dir() else shutil.copy)(ROOT / file, page.folder / pathlib.Path(file).name)
        else:
            verdict(where, f"unknown directive {directive}")
    if not language:
        return verdict(where, "a block without a language")
    if name:
        (page.folder / name).parent.mkdir(parents=True, exist_ok=True)
        return (page.folder / name).write_text("\n".join(lines) + "\n")
    if language == "text":
        looks = [line for line in lines if re.match(r"\$ |(heddle|make) \w", line)]
        return verdict(where, f"a command that is not run: {looks[0]}") if looks else None
    if language == "sh":
        commands = [(re.sub(r"\s{2,}#.*|^#.*", "", line), None) for line in lines]
        commands = [c for c in commands if c[0].strip()]
    elif language == "console":
        commands = commands_of(lines)
    else:
        return None
    for number, (command, shown) in enumerate(commands, 1):
        try:
            status, output = page.run(command)
        except subprocess.TimeoutExpired:
            verdict(f"{where} {command}", f"no end after {LIMIT} s")
            continue
        problem = None if status in (allowed if number == len(commands) else (0, 1)) else f"status {status}"
        wrong = compare(shown, output) if shown is not None else None
        verdict(f"{where} {command}", problem or (wrong and f"not printed: {wrong}"), output)


def main():
    wanted = sys.argv[1:]
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        page = Page(path)
        try:
            if not wanted or any(word in page.name for word in wanted):
                for block in page.blocks():
                    check_block(page, *block)
        finally:
            if not os.environ.get("KEEP"):
                shutil.rmtree(page.folder)


if __name__ == "__main__":
    main()
