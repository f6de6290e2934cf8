# SPDX-License-Identifier: Apache-2.0
"""Common helpers of the tests of files that heddle writes; imported, never run.

Cases print one line `ok - name` or `not ok - name`, which tests/run counts. A validator that is not installed is told in
a line `# skipped: …` and its cases are left out; the facts that need none are checked all the same.
"""
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "tests" / "schema"
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
LIMIT = 400  # seconds for one command, however busy the machine is

try:
    import jsonschema
except ImportError:
    jsonschema = None
    print("# skipped: validation against JSON schemas, python3-jsonschema is not installed")
XMLLINT = shutil.which("xmllint")
if not XMLLINT:
    print("# skipped: validation against XML schemas, xmllint (libxml2-utils) is not installed")


def case(name, problems):
    """Problems: a list of what is wrong, empty when the case holds."""
    why = f" ({'; '.join(str(p) for p in problems)[:400]})" if problems else ""
    print(f"{'not ok' if problems else 'ok'} - {name}{why}", flush=True)


def heddle(*words, status=None):
    """Runs it; returns the completed process. A wanted status that does not come is an error of the test."""
    done = subprocess.run([HEDDLE, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    done.said = (done.stdout + done.stderr).decode(errors="replace")
    if status is not None and done.returncode != status:
        raise RuntimeError(f"heddle {' '.join(map(str, words))}: status {done.returncode}, not {status}: {done.said[-500:]}")
    return done


def against(schema, document):
    """What a JSON schema says against a document."""
    kind = jsonschema.validators.validator_for(schema)
    return [f"{'/'.join(map(str, e.path))}: {e.message[:120]}" for e in list(kind(schema).iter_errors(document))[:3]]


def fits(name, schema, document):
    """A case: the document is as the schema of that name wants it."""
    if jsonschema:
        case(name, against(json.loads((SCHEMAS / schema).read_text()), document))


def public_schema(variable, pattern=""):
    """A public schema on this machine, None when there is none."""
    found = sorted(glob.glob(pattern))
    return os.environ.get(variable) or (found[-1] if found else None)


def in_own_folder(test):
    """Runs test() in an empty folder; the exit status is 0 whatever the cases said, as tests/run wants it."""
    folder = tempfile.mkdtemp(prefix="heddle-test.")
    try:
        os.chdir(folder)
        test()
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        case("the test runs to its end", [error])
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0)
