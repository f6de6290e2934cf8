#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layers of the code, from its includes: who may know whom; and that names in it are one thing each.

    tests/e2e/layers.py [--write]

Layers are the folders of src/; of predict/ and worlds/ each folder is one. The diagram in docs/layers.md is made from what is
really included (--write makes it anew); here it must be up to date, and no layer may include one above it. No function and
no file may outgrow a reader. Exit status 0 whatever the cases said, as tests/run wants it.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "layers.md"
SPLIT = {"predict", "worlds"}  # their folders are layers of their own
PURE = ["core", "strategy", "explore", "observer"]  # know no world
FUNCTION_MOST, FILE_MOST = 60, 800  # lines
TAG = re.compile(r"^(?:static )?((?:struct|enum|union) \w+) \{", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def layer_of(path):
    parts = path.parts[:-1]
    return "/".join(parts[:2]) if parts[0] in SPLIT else parts[0]


def edges():
    """(layer, layer it includes): the files that do."""
    found = collections.defaultdict(list)
    for source in sorted((ROOT / "src").rglob("*.[chS]")):
        here = source.relative_to(ROOT / "src")
        for name in INCLUDE.findall(source.read_text()):
            there = pathlib.Path(name)
            if (ROOT / "src" / there).is_file() and layer_of(here) != layer_of(there):
                found[layer_of(here), layer_of(there)].append(f"{here} includes {there}")
    return found


def levels(found):
    """Layers by level: each includes only layers of lower ones. Layers that include each other in a circle have none."""
    layers = {layer for pair in found for layer in pair}
    level = {}
    while True:
        free = {layer for layer in layers - level.keys()
                if all(b in level for a, b in found if a == layer)}
        if not free:
            return level, layers - level.keys()
        for layer in free:
            level[layer] = 1 + max((level[b] for a, b in found if a == layer), default=-1)


def page(found):
    level, circles = levels(found)
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# Who includes whom", "",
             "Made by `tests/e2e/layers.py --write` from the includes of `src/`; `make test` fails when it is not up to date, or",
             "when a layer includes one above it. A layer knows only layers further down.", "", "```text"]
    for height in sorted(set(level.values()), reverse=True):
        for layer in sorted(r for r in level if level[r] == height):
            known = sorted({b for a, b in found if a == layer}, key=lambda b: (-level.get(b, 0), b))
            lines.append(f"{height}  {layer:<22} {'→ ' + ', '.join(known) if known else 'knows nobody'}")
        lines.append("")
    return "\n".join(lines[:-1] + ["```", ""]), circles


def case(name, bad):
    print(f"{'not ok' if bad else 'ok'} - {name}{f' ({bad})' if bad else ''}", flush=True)


def twice(named):
    """Of (name, where): the names that are in several places."""
    places = collections.defaultdict(set)
    for name, where in named:
        places[name].add(where)
    return {name: sorted(map(str, where)) for name, where in places.items() if len(where) > 1}


def repeated_tags():
    """Tags that a header defines and another file, too. One that is a single C file's own may recur."""
    tags = [(tag, f.relative_to(ROOT)) for f in sorted((ROOT / "src").rglob("*.[ch]")) for tag in TAG.findall(f.read_text())]
    return [f"{tag} ({', '.join(where)})" for tag, where in twice(tags).items() if any(w.endswith(".h") for w in where)]


def forbidden(found, from_layer, to_layer):
    return next((files[0] for (a, b), files in sorted(found.items()) if from_layer(a) and to_layer(b)), None)


def too_long(name, text):
    """What of a C file is longer than it may be. The format puts the braces of a function, and no others, at the beginning of a line."""
    lines = text.splitlines()
    found = [f"{name}: {len(lines)} lines"] if len(lines) > FILE_MOST else []
    begin = 0
    for number, line in enumerate(lines, 1):
        if line == "{":
            begin = number
        elif line == "}" and begin:
            if number - begin + 1 > FUNCTION_MOST:
                found.append(f"{name}:{begin - 1}: a function of {number - begin + 1} lines")
            begin = 0
    return found


def main():
    found = edges()
    text, circles = page(found)
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(text)
        return
    case("no layer includes one above it", ", ".join(sorted(circles)))
    case("the core knows nobody", forbidden(found, lambda a: a == "core", lambda b: True))
    for layer in PURE:
        case(f"{layer} knows no world", forbidden(found, lambda a, layer=layer: a == layer, lambda b: b.startswith("worlds/")))
    for layer in ["strategy", "explore", "observer"]:
        case(f"the world of threads does not know {layer}",
             forbidden(found, lambda a: a == "worlds/threads", lambda b, layer=layer: b == layer))
    names = re.findall(r"^  X\((\w+), \"", (ROOT / "src/core/strategy.h").read_text(), re.MULTILINE)
    case("the strategies are listed", None if len(names) > 10 else "no list in core/strategy.h")
    named = [f"{f.relative_to(ROOT)}: {n}" for f in sorted((ROOT / "src/worlds").rglob("*.[ch]")) for n in names
             if f.parent.name != "trace" and f.name != "embedded.c" and re.search(rf"\b(STRATEGY|strategy)_{n}\b", f.read_text())]
    case("no world names a strategy", ", ".join(named))
    globals_named = [str(f.relative_to(ROOT)) for layer in PURE for f in sorted((ROOT / "src" / layer).rglob("*.[ch]"))
                     if re.search(r"\brt\.\w|\bhd_self\b", f.read_text())]
    case("nothing pure names the globals of a world", ", ".join(globals_named))
    case("no two C files are called the same",
         ", ".join(twice((f.name, f.relative_to(ROOT)) for f in (ROOT / "src").rglob("*.c"))))
    case("what a header calls so, no other file does", ", ".join(repeated_tags()))
    lines = len((ROOT / "src/core/control.h").read_text().splitlines())
    case("the control block's header is short", None if lines < 150 else f"{lines} lines")
    long = [l for f in sorted((ROOT / "src").rglob("*.[ch]")) for l in too_long(f.relative_to(ROOT), f.read_text())]
    case(f"no function is longer than {FUNCTION_MOST} lines, no C file longer than {FILE_MOST}", ", ".join(long))
    body = "  work();\n" * (FUNCTION_MOST - 2)
    seen = [len(too_long("a.c", f"int f(void)\n{{\n{more}{body}}}\n" + "\n" * lines))
            for more, lines in [("", 0), ("  more();\n", 0), ("", FILE_MOST)]]
    case("a longer one is seen", None if seen == [0, 1, 1] else f"{seen}")
    case("docs/layers.md is up to date", None if PAGE.is_file() and PAGE.read_text() == text else "run tests/e2e/layers.py --write")


if __name__ == "__main__":
    main()
