#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Findings for other tools: SARIF of check, run, explore and suite, and the suite's JUnit XML.

Both fit their schemas, ours and the public ones where these are installed (tests/schema/README.md), and say what the
JSON document of the same run says.
"""
import json
import pathlib
import subprocess
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from formats import ROOT, SCHEMAS, XMLLINT, against, case, fits, heddle, in_own_folder, jsonschema, public_schema  # noqa: E402

PUBLIC_SARIF = public_schema("HEDDLE_SARIF_SCHEMA", "/usr/share/cargo/registry/serde-sarif-*/src/schema.json")
PUBLIC_JUNIT = public_schema("HEDDLE_JUNIT_SCHEMA")
# subject, kind of its first bug, its level under the default options, how many related places it has at least
SUBJECTS = [
    ("tests/subjects/bank_lost_update.c", "assertion", "error", 0),
    ("tests/subjects/abba_deadlock.c", "deadlock", "error", 4),
    ("tests/subjects/message_relaxed.c", "race", "warning", 1),
    ("tests/subjects/use_after_free.c", "memory", "error", 2),
    ("tests/subjects/refcount_leak.c", "leak", "warning", 0),
    ("tests/subjects/ready_bits_hang.c", "hang", "error", 0),
    ("tests/subjects/null_after_check.c", "crash", "error", 0),
    ("tests/subjects/unlock_not_owner.c", "property", "error", 0),
    ("tests/subjects/cxx_deadlock.cc", "deadlock", "error", 4),
]


def load(path):
    return json.loads(pathlib.Path(path).read_text())


def check_schemas(name, log):
    fits(f"{name}: fits our schema", "sarif-2.1.0-subset.schema.json", log)
    if jsonschema and PUBLIC_SARIF:
        case(f"{name}: fits the public schema", against(load(PUBLIC_SARIF), log))


def places(result):
    return [place["physicalLocation"] for place in result["locations"] + result["relatedLocations"] if "physicalLocation" in place]


def wrong_result(result, bug, rules):
    """What is wrong with a result, given the same bug in the JSON document."""
    wrong = []
    if result["ruleId"] != bug["kind"] or rules[result["ruleIndex"]]["id"] != bug["kind"]:
        wrong.append(f"rule {result['ruleId']}, kind {bug['kind']}")
    if not result["message"]["text"].startswith(bug["message"].replace("{", "{{").replace("}", "}}")):
        wrong.append(f"{result['message']} is not {bug['message']}")
    if result["partialFingerprints"] != {"heddleBug/v1": bug["key"]}:
        wrong.append("another key")
    said = result["properties"]
    if said["schedule"] != bug["schedule"] or said["execution"] != bug["first_execution"]:
        wrong.append(f"{said} is not the schedule {bug['schedule']}")
    if heddle(*said["replay"].split()[1:]).returncode != 1:
        wrong.append(f"{said['replay']} does not show it")
    for place in places(result):
        uri = place["artifactLocation"]["uri"]
        if "uriBaseId" in place["artifactLocation"] and not pathlib.Path(urllib.parse.unquote(uri)).exists():
            wrong.append(f"there is no {uri}")
    ids = [place["id"] for place in result["relatedLocations"]]
    return wrong + ([] if ids == list(range(1, len(ids) + 1)) else [ids])


def wrong_flows(result):
    """Steps are numbered through all threads, and none is in two flows."""
    flows = [flow for code in result.get("codeFlows", []) for flow in code["threadFlows"]]
    order = [place["executionOrder"] for flow in flows for place in flow["locations"]]
    wrong = [] if sorted(order) == list(range(1, len(order) + 1)) else [order]
    for flow in flows:
        numbers = [place["executionOrder"] for place in flow["locations"]]
        texts = [place["location"]["message"]["text"] for place in flow["locations"]]
        wrong += [] if numbers == sorted(numbers) else [numbers]
        wrong += [text for text in texts if not text.startswith(flow["id"] + " ")]
    return wrong


def one_subject(path, kind, level, related):
    name = pathlib.Path(path).stem
    pathlib.Path(pathlib.Path(path).name).write_text((ROOT / path).read_text())
    heddle("check", "-q", "--sarif", "x.sarif", "--json", "x.json", pathlib.Path(path).name, status=1)
    log, document = load("x.sarif"), load("x.json")
    check_schemas(name, log)
    run = log["runs"][0]
    results, bugs = run["results"], document["bugs"]
    wrong = [] if len(results) == len(bugs) else [f"{len(results)} results, {len(bugs)} bugs"]
    for result, bug in zip(results, bugs):
        wrong += wrong_result(result, bug, run["tool"]["driver"]["rules"]) + wrong_flows(result)
    case(f"{name}: the bugs of the JSON document", wrong)
    first = next((r for r in results if r["ruleId"] == kind), None)
    if not first:
        case(f"{name}: kind and places", [f"no {kind}"])
        return
    wrong = [] if first["level"] == level else [f"level {first['level']}"]
    wrong += [] if len(first["relatedLocations"]) >= related else [f"{len(first['relatedLocations'])} related places"]
    wrong += [] if places(first)[0]["region"]["startLine"] > 0 else ["no line"]
    own = [place["artifactLocation"] for place in places(first)]
    wrong += [] if own[0] == {"uri": pathlib.Path(path).name, "uriBaseId": "%SRCROOT%"} else [own[0]]
    wrong += [place for place in own if kind == "deadlock" and place != own[0]]  # not the headers of the C++ library
    case(f"{name}: kind, level and places", wrong)


def held():
    spec = ["enforce Kept(void *l) { event add before(void *l) : call(list_add(..)) && target(l) {}",
            "event make before(void *l) : call(iter_new(..)) && target(l) {}",
            "fsm: fresh [ add -> full ] full [ add -> full ] @nonfail {} }"]
    pathlib.Path("kept.mop").write_text("\n".join(spec))
    heddle("check", "-q", "--spec", "kept.mop", "--sarif", "held.sarif", "--json", "held.json", ROOT / "tests" / "properties" / "safe_iteration.c", status=1)
    log, document = load("held.sarif"), load("held.json")
    check_schemas("held", log)
    result, party = log["runs"][0]["results"][0], document["bugs"][0]["parties"][0]
    case("held: told in the message, and by name", [] if "main is held before make of Kept" in result["message"]["text"] and result["properties"].get("heldThreads") == ["main"] else [result])
    case("held: marked in the JSON document", [] if party["thread"] == "main" and party.get("held") is True else [party])


def commands():
    heddle("cc", "-g", "message_relaxed.c", "-o", "message", status=0)
    heddle("run", "-q", "--runs", 300, "--races", "fail", "--sarif", "run.sarif", "./message", status=1)
    log = load("run.sarif")
    levels = {r["level"] for r in log["runs"][0]["results"] if r["ruleId"] == "race"}
    case("races that fail are errors", [] if levels == {"error"} else [levels])
    invocation = log["runs"][0]["invocations"][0]
    wanted = ["run", "-q", "--runs", "300", "--races", "fail", "--sarif", "run.sarif", "./message"]
    case("the command line and its status", [] if invocation["arguments"] == wanted and invocation["exitCode"] == 1 and invocation["executionSuccessful"] else [invocation])
    heddle("explore", "-q", "--sarif", "explore.sarif", "abba_deadlock.c", status=1)
    found = [r["ruleId"] for r in load("explore.sarif")["runs"][0]["results"]]
    case("explore", [] if found == ["deadlock"] else [found])
    pathlib.Path("fine.c").write_text("int main(void) { return 0; }\n")
    heddle("check", "-q", "--sarif", "fine.sarif", "fine.c", status=0)
    check_schemas("nothing found", load("fine.sarif"))
    case("nothing found: no results, status 0", [] if load("fine.sarif")["runs"][0]["results"] == [] and load("fine.sarif")["runs"][0]["invocations"][0]["exitCode"] == 0 else ["there are"])


def hostile_paths():
    """Names of files with all that URIs, JSON and placeholders of messages could trip over."""
    folder = pathlib.Path("a b#c%20?\u00e9\"<")
    folder.mkdir()
    source = "#include <assert.h>\nint zero[1];\nint main(void)\n{\n  assert(\"{0} [a](b) \\\"<\\\" \u00e9\" && zero[0]);\n}\n"
    (folder / "1:x{0}.c").write_text(source)
    heddle("check", "-q", "--sarif", "hostile.sarif", "--json", "hostile.json", folder / "1:x{0}.c", status=1)
    log = load("hostile.sarif")
    check_schemas("hostile names", log)
    uri = places(log["runs"][0]["results"][0])[0]["artifactLocation"]["uri"]
    case("hostile names: the URI is the path", [] if urllib.parse.unquote(uri) == str(folder / "1:x{0}.c") else [uri])
    text = log["runs"][0]["results"][0]["message"]["text"]
    case("hostile names: braces are no placeholders", [] if "{{0}}" in text else [text])


def suite():
    lines = ["say \"<&>\": ./abba_deadlock.c", "lost: ./bank_lost_update.c", "fine: ./fine.c", "absent: ./absent", "endless: ./big.c"]
    pathlib.Path("big.c").write_text("""
#include <pthread.h>
static volatile int x[64];
static void *work(void *n) { for (int i = 0; i < 64; i++) x[i] += (int)(long)n; return 0; }
int main(void) { pthread_t t[6]; for (long i = 0; i < 6; i++) pthread_create(&t[i], 0, work, (void *)i);
  for (int i = 0; i < 6; i++) pthread_join(t[i], 0); }
""")
    pathlib.Path("all.suite").write_text("\n".join(lines) + "\n")
    heddle("suite", "-q", "--races", "ignore", "--time", "3s", "--sarif", "suite.sarif", "--junit", "suite.xml", "all.suite", status=1)
    log = load("suite.sarif")
    check_schemas("suite", log)
    run = log["runs"][0]
    found = {r["properties"]["test"]: r["ruleId"] for r in run["results"]}
    case("suite: bugs by test", [] if found == {'say "<&>"': "deadlock", "lost": "assertion"} else [found])
    told = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    case("suite: what could not be run", [] if len(told) == 1 and told[0].startswith("absent: ") else [told])
    if not XMLLINT:
        return
    for name, schema in ("our schema", SCHEMAS / "junit.xsd"), ("the public schema", PUBLIC_JUNIT):
        if schema:
            done = subprocess.run([XMLLINT, "--noout", "--schema", schema, "suite.xml"], capture_output=True, text=True)
            case(f"JUnit fits {name}", [] if done.returncode == 0 else [done.stderr])

    def count(path):
        done = subprocess.run([XMLLINT, "--xpath", f"count({path})", "suite.xml"], capture_output=True, text=True)
        return int(done.stdout or -1)

    numbers = [count("//testcase"), count("//failure"), count("//error"), count("//skipped")]
    case("JUnit: five cases, two failures, one error, one skipped", [] if numbers == [5, 2, 1, 1] else [numbers])


def told(name, words, *command):
    done = heddle(*command)
    wrong = [] if done.returncode == 2 and done.stderr.count(b"\n") == 1 and not done.stdout else [done.said]
    case(name, wrong + [done.said for word in words if word not in done.said])


def wrong_use():
    pathlib.Path("precious.txt").write_text("text\n")
    told("--sarif onto another file", ["--sarif", "not overwritten"], "check", "--sarif", "precious.txt", "fine.c")
    told("--sarif into a missing folder", ["--sarif", "cannot be written"], "explore", "--sarif", "no/such.sarif", "fine.c")
    told("--sarif onto a folder", ["is a folder"], "suite", "--sarif", ".", "all.suite")
    told("--junit into a missing folder", ["cannot be written"], "suite", "--junit", "no/such.xml", "all.suite")
    told("two documents on standard output", ["both need"], "check", "--sarif", "-", "--json", "-", "fine.c")
    told("TAP and SARIF on standard output", ["both need"], "suite", "--tap", "--sarif", "-", "all.suite")
    done = heddle("check", "--sarif", "-", "fine.c", status=0)
    case("- is standard output", [] if json.loads(done.stdout)["version"] == "2.1.0" else [done.said])


def test():
    for subject in SUBJECTS:
        one_subject(*subject)
    held()
    commands()
    hostile_paths()
    suite()
    wrong_use()


if __name__ == "__main__":
    in_own_folder(test)
