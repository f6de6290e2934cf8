#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is made for CI is run here as it would be there: the steps of the GitHub action and the script of the GitLab template. And
bugs as lines of gcc: their form, and that the matcher reads them."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build/heddle"))


def case(name, holds, why=""):
    print(f"{'ok' if holds else 'not ok'} - {name}" + ("" if holds else f" ({why})"))


def blocks(path, key):
    """The texts of `key: |` blocks of a YAML file, or the items of a list below `key:`."""
    lines, found = path.read_text().split("\n"), []
    for i, line in enumerate(lines):
        if re.fullmatch(rf"\s*{key}:( \|)?", line):
            indent = len(line) - len(line.lstrip())
            body = []
            for below in lines[i + 1:]:
                if below.strip() and len(below) - len(below.lstrip()) <= indent:
                    break
                body.append(below.strip())
            found.append("\n".join(body).strip())
    return found


def run(script, **more):
    environment = {**os.environ, "PATH": f"{pathlib.Path(HEDDLE).parent}:{os.environ['PATH']}", **more}
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def main():
    folder = tempfile.mkdtemp(prefix="heddle-test.")
    os.chdir(folder)
    os.environ["XDG_STATE_HOME"] = folder + "/.state"
    shutil.copy(ROOT / "examples/bank.c", "bank.c")
    subprocess.run([HEDDLE, "cc", "-g", "bank.c", "-o", "bank"], check=True)
    github, command = ROOT / "packaging/ci/github", "check --races ignore --max-executions 100 -j 1 './bank'"

    steps = blocks(github / "action.yml", "run")
    case("the action has its steps", len(steps) == 2)
    status, out, _ = run(steps[0], GITHUB_ACTION_PATH=str(github))
    matcher = pathlib.Path(out.strip().removeprefix("::add-matcher::"))
    case("it names its matcher", status == 0 and matcher.is_file(), out)
    status, out, err = run(steps[1], GITHUB_ACTION_PATH=str(github), HEDDLE_COMMAND=command)
    case("the search finds the bug", status == 1, f"status {status}: {err}")
    pattern = json.loads(matcher.read_text())["problemMatcher"][0]["pattern"][0]
    matched = [m for line in out.split("\n") if (m := re.search(pattern["regexp"], line))]
    case("the matcher reads it", [m.group(1, 2, 3, 5) for m in matched] == [("bank.c", "40", "error", "assertion")], out)
    case("its steps are notes", re.search(r"^bank\.c:\d+: note: T\d reads balance\[\d\] → \d+$", out, re.M) is not None, out)
    case("the log is there", json.load(open("heddle.sarif"))["runs"][0]["results"][0]["ruleId"] is not None)

    subprocess.run([HEDDLE, "bugs", "-q", "--list", "--write-baseline", "heddle.baseline"], stdout=subprocess.DEVNULL)
    script = "\n".join(re.sub(r"^- |^- '|'$", "", line).strip("'") for line in blocks(ROOT / "packaging/ci/gitlab-ci.yml", "script")[0].split("\n"))
    status, out, err = run(script, HEDDLE_CI=str(ROOT / "packaging/ci/heddle-ci"), HEDDLE_COMMAND=command)
    case("the template's script: what is in the baseline is no failure", status == 0, f"{script}: status {status}: {out}{err}")
    case("it is told", "it is in heddle.baseline" in out, out)
    shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
