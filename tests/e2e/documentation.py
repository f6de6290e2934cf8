#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README.md, docs and the examples' pages do what they say: every command in them is run, what they show of its output compared.

A page is a session in a folder of its own, for an example a copy of it, from its first line to its last, with heddle first in
PATH. Of its blocks,

    ```c queue.c          is written to that file (any language, if a name follows it)
    ```console            has lines `$ command`, each followed by what it prints
    ```sh                 has a command in each line, of which only the exit status is looked at
    ```text               is not run, and must not look like a command

and c, cpp and cmake are code to read. Any other block, or an indented one, is an error, so that no command escapes. Commands within a
sentence are not run: they must have only options that there are, and targets of make that there are. A comment before a
block, which pages do not show, says more:

    <!-- test: status 1 -->             of the last command of the block; else 0 or 1, which is a bug found
    <!-- test: run COMMAND -->          is run before
    <!-- test: files PATH... -->        of the repository are copied here before
    <!-- test: not run, REASON -->      the block is for the reader only

In what is shown, … stands for anything, in a line or as lines of its own. Times, rates and numbers of executions are not
compared; blanks between words are one.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = pathlib.Path(os.environ.get("HEDDLE", ROOT / "build" / "heddle")).resolve()
LIMIT = 400
VAGUE = re.compile(r"\d[\d.,]* ?(?P<unit>executions?|runs?|ms|µs|s|min|%|MB)(?!\w)")
TIMES = r"(?:ms|µs|s|min)"
CODE = ("c", "cpp", "cmake")
COMPILERS = ("cc", "c++")  # which take all that a compiler takes


class Page:
    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(ROOT))
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-docs."))
        if path.is_relative_to(ROOT / "examples"):
            shutil.copytree(path.parent, self.folder, dirs_exist_ok=True)
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
            elif line.lstrip().startswith(("```", "~~~")):
                yield number, "", [], []

    def sentences(self):
        """(line number, command) of each command within a sentence."""
        block = False
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            block ^= line.startswith("```")
            for found in re.finditer(r"`((?:heddle|make)(?: [^`]*)?)`", "" if block else line):
                yield number, found[1].replace("\\|", "|")


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
    if not name and language not in ("console", "sh", "text", *CODE):
        return verdict(where, f"a block in {language}" if language else "a block without a language, or an indented one")
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


class Usage:
    """What there is to type: the options of each command of heddle, and what make can make."""

    def __init__(self):
        listed = json.loads(subprocess.run([HEDDLE, "help", "--json"], stdout=subprocess.PIPE, check=True).stdout)
        self.options = {command["name"]: {"--help"} for command in listed["commands"]}
        for option in listed["options"]:
            for command in (command for use in option["uses"] for command in use["commands"]):
                self.options[command] |= {f"--{option['name']}", f"-{option['letter']}"}
        self.topics = [topic["name"] for topic in listed["topics"]]
        self.targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M)

    def wrong(self, text):
        """What there is not in a command, or None."""
        program, *words = shlex.split(text)
        if program == "make":
            unknown = [word for word in words if "=" not in word and word not in self.targets]
            return unknown[0] if unknown else None
        command, *words = words or ["help"]
        if command == "help":
            unknown = [word for word in words if word not in self.options and word not in self.topics]
            return unknown[0] if unknown else None
        if command not in self.options:
            return command
        words = words[:words.index("--")] if "--" in words else words
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        unknown = [word for word in options if word not in self.options[command] and command not in COMPILERS]
        return unknown[0] if unknown else None


def check_sentences(page, usage):
    wrong = [f"{number}: no {what} in {command}" for number, command in page.sentences() if (what := usage.wrong(command))]
    verdict(f"{page.name}: commands in sentences", wrong and "there is not what they say", "\n".join(wrong))


def main():
    wanted = sys.argv[1:]
    usage = Usage()
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]:
        page = Page(path)
        try:
            if not wanted or any(word in page.name for word in wanted):
                check_sentences(page, usage)
                for block in page.blocks():
                    check_block(page, *block)
        finally:
            if not os.environ.get("KEEP"):
                shutil.rmtree(page.folder)


if __name__ == "__main__":
    main()
