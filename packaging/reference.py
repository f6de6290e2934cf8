#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is made from the list of commands and options: reference.py KIND OPTIONS.json [TEMPLATE]

OPTIONS.json is what `heddle help --json` prints. KIND is bash, zsh or fish (completion), man (a manual page, from a
template) or pages (the folder TEMPLATE gets a page in Markdown for each command). Prints to standard output.

In the template of a manual page, a line @synopsis, @commands, @options or @losses stands for that list. A line
`@text NAME` (a command, or an option with its dashes) begins words for the manual, up to the next such line or @end,
which take the place of what the help says; a name that does not exist is an error. @VERSION@ is the version.
"""

import json
import pathlib
import re
import sys


class Reference:
    def __init__(self, path):
        self.all = json.loads(pathlib.Path(path).read_text())
        self.version = self.all["heddle"]
        self.commands = self.all["commands"]
        self.options = self.all["options"]

    def names(self):
        return [name for c in self.commands for name in [c["name"], *c["spellings"]]]

    def options_of(self, command):
        """The options of a command, each with its use by it."""
        return [(o, u) for o in self.options for u in o["uses"] if command["name"] in u["commands"]]

    def taken_by(self, option):
        return [c["name"] for c in self.commands if any(c["name"] in u["commands"] for u in option["uses"])]


def brief(text):
    """The beginning of a help text, as a description in one line."""
    line = re.split(r"[:;(]| - ", text.replace("\n", " "))[0].strip()
    return line if len(line) > 12 or len(text) < 60 else text.replace("\n", " ")[:60]


FILES = {"FILE", "PATH", "TRACE"}


def kind(option, use):
    """How the value of an option is completed: its values, a file, a folder, or nothing."""
    if option["argument"] is None:
        return "flag"
    if use["values"]:
        return "values"
    return "file" if option["argument"] in FILES else "folder" if option["argument"] == "DIR" else "other"


# ---- shells ----


def bash(r):
    lines = ["# bash completion for heddle, made from its list of options", "_heddle() {",
             '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} i',
             "  COMPREPLY=()",
             '  for ((i = 2; i < COMP_CWORD; i++)); do [[ ${COMP_WORDS[i]} == -- ]] && { COMPREPLY=($(compgen -f -- "$word")); return; }; done',
             "  if ((COMP_CWORD == 1)); then",
             f'    COMPREPLY=($(compgen -W "{" ".join(r.names())} help --help --version" -- "$word"))',
             "    return", "  fi", "  case $command in"]
    topics = [t["name"] for t in r.all["topics"]]
    lines += ["  help)", f'    COMPREPLY=($(compgen -W "{" ".join(r.names() + topics)} --all-options --json" -- "$word"))', "    return", "    ;;",
              "  cc | c++)", '    COMPREPLY=($(compgen -f -- "$word"))', "    return", "    ;;", "  esac",
              "  case $command:$before in"]
    for command in r.commands:
        names = [command["name"], *command["spellings"]]
        for option, use in r.options_of(command):
            how = kind(option, use)
            words = [f"--{option['name']}"] + ([f"-{option['letter']}"] if option["letter"] else [])
            if how == "flag":
                continue
            reply = {"values": f'-W "{" ".join(use["values"])}"', "file": "-f", "folder": "-d"}.get(how)
            lines.append("  " + " | ".join(f"{n}:{w}" for n in names for w in words) + ")")
            lines += ([f'    COMPREPLY=($(compgen {reply} -- "$word"))'] if reply else []) + ["    return", "    ;;"]
    lines += ["  esac", '  if [[ $word != -* ]]; then', '    COMPREPLY=($(compgen -f -- "$word"))', "    return", "  fi", "  case $command in"]
    for command in r.commands:
        options = [f"--{o['name']}" for o, _ in r.options_of(command)]
        if options:
            lines += ["  " + " | ".join([command["name"], *command["spellings"]]) + ")",
                      f'    COMPREPLY=($(compgen -W "{" ".join(options)}" -- "$word"))', "    ;;"]
    lines += ["  esac", "}", "complete -o filenames -F _heddle heddle"]
    return "\n".join(lines) + "\n"


def zsh_quoted(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh(r):
    lines = ["#compdef heddle", "# zsh completion for heddle, made from its list of options", "_heddle() {", "  local -a commands topics", "  commands=("]
    lines += [f"    '{c['name']}:{zsh_quoted(c['summary'])}'" for c in r.commands] + ["    'help:of a command or a topic'", "  )", "  topics=("]
    lines += [f"    '{t['name']}:{zsh_quoted(t['text'].splitlines()[0])}'" for t in r.all["topics"]] + ["  )"]
    lines += ["  if ((CURRENT == 2)); then", "    _describe command commands", "    return", "  fi",
              "  local command=$words[2]", "  shift words", "  ((CURRENT--))", "  case $command in",
              "  help) _describe command commands -- topics ;;", "  cc | c++) _files ;;"]
    for command in r.commands:
        if not r.options_of(command):
            continue
        lines.append(f"  {' | '.join([command['name'], *command['spellings']])})")
        lines.append("    _arguments -S \\")
        for option, use in r.options_of(command):
            how = kind(option, use)
            end = {"flag": "", "values": f":{option['argument']}:({' '.join(use['values'])})", "file": ":file:_files",
                   "folder": ":folder:_files -/", "other": f":{zsh_quoted(option['argument'] or '')}: "}[how]
            text = zsh_quoted(brief(use["help"]))
            equals = "" if how == "flag" else "="
            lines.append(f"      '--{option['name']}{equals}[{text}]{end}' \\")
            if option["letter"]:
                lines.append(f"      '-{option['letter']}{'' if how == 'flag' else '+'}[{text}]{end}' \\")
        lines += ["      '*:file:_files'", "    ;;"]
    lines += ["  esac", "}", '_heddle "$@"']
    return "\n".join(lines) + "\n"


def fish(r):
    quoted = lambda text: "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    lines = ["# fish completion for heddle, made from its list of options"]
    for command in r.commands:
        for name in [command["name"], *command["spellings"]]:
            lines.append(f"complete -c heddle -f -n __fish_use_subcommand -a {name} -d {quoted(command['summary'])}")
    lines.append("complete -c heddle -f -n __fish_use_subcommand -a help -d 'of a command or a topic'")
    lines.append(f"complete -c heddle -f -n '__fish_seen_subcommand_from help' -a {quoted(' '.join(r.names() + [t['name'] for t in r.all['topics']]))}")
    lines.append("complete -c heddle -n '__fish_seen_subcommand_from help' -l all-options -d 'all options of the command'")
    for command in r.commands:
        condition = quoted("__fish_seen_subcommand_from " + " ".join([command["name"], *command["spellings"]]))
        for option, use in r.options_of(command):
            how = kind(option, use)
            letter = f" -s {option['letter']}" if option["letter"] else ""
            end = {"flag": "", "values": f" -x -a {quoted(' '.join(use['values']))}", "file": " -r -F", "folder": " -x -a '(__fish_complete_directories)'", "other": " -x"}[how]
            lines.append(f"complete -c heddle -n {condition} -l {option['name']}{letter}{end} -d {quoted(brief(use['help']))}")
    return "\n".join(lines) + "\n"


# ---- the manual ----


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def usage_of(command):
    """The forms of a command, without `usage: `."""
    lines = []
    for line in command["help"].splitlines():
        if not line.strip():
            break
        lines.append(line.removeprefix("usage:").strip())
    return lines


def description_of(command):
    """The paragraphs between usage and options."""
    body = command["help"].split("\n\n", 1)[1]
    return re.split(r"\n\n(?:options|example|exit status):", body)[0]


def sentence(text):
    text = " ".join(text.split())
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def man_usage(form):
    words = [f"\\fB{roff(w)}\\fR" if re.fullmatch(r"heddle|--\w+|--|[a-z+]+", w) else f"\\fI{roff(w)}\\fR" for w in form.split()]
    return " ".join(words)


def man_option(r, option, texts):
    argument = f' " {roff(option["argument"])}"' if option["argument"] else ""
    letter = f'\\-{option["letter"]}\\fR, \\fB' if option["letter"] else ""
    lines = [".TP", f".BI {letter}\\-\\-{roff(option['name'])}{argument}"]
    own = texts.pop("--" + option["name"], None)
    if own:
        lines.append(own)
    elif len(option["uses"]) == 1:
        lines.append(roff(sentence(option["uses"][0]["help"])))
    else:
        for use in option["uses"]:
            lines += [f"{', '.join(use['commands'])}:", roff(" ".join(use["help"].split())) + ".", ".br"]
        lines.pop()
    taken = r.taken_by(option)
    everybody = len(taken) == sum(1 for c in r.commands if r.options_of(c))
    default = f"; default {option['default']}" if option["default"] else ""
    lines.append(roff(f"({'all commands' if everybody else ', '.join(taken)}{default})"))
    return "\n".join(lines)


def man(r, template):
    texts, kept, into = {}, [], None
    for line in pathlib.Path(template).read_text().splitlines():
        if line.startswith("@text "):
            into = texts.setdefault(line.split(None, 1)[1], [])
        elif line == "@end":
            into = None
        elif into is not None:
            into.append(line)
        else:
            kept.append(line)
    texts = {name: "\n".join(lines) for name, lines in texts.items()}
    out = []
    for line in kept:
        if line == "@synopsis":
            out += [man_usage(form) for c in r.commands for form in usage_of(c)]
        elif line == "@commands":
            for c in r.commands:
                out += [".TP", f".B {roff(c['name'])}", texts.pop(c["name"], None) or roff(description_of(c)).replace("\n\n", "\n.IP\n")]
                out += [f"Also spelt {roff(s)}." for s in c["spellings"]]
        elif line == "@options":
            out += [man_option(r, o, texts) for o in r.options]
        elif line == "@losses":
            for loss in r.all["losses"]:
                out += [".TP", f".B {roff(loss['name'])}", texts.pop(loss["name"], None) or roff(sentence(loss["sentence"]))]
        else:
            out.append(line.replace("@VERSION@", r.version))
    if texts:
        sys.exit(f"{template}: there is no {', '.join(texts)}")
    return "\n".join(out) + "\n"


# ---- pages ----


def page_of(r, command):
    lines = [f"# heddle {command['name']}", "", command["summary"][0].upper() + command["summary"][1:] + ".", "", "```"]
    lines += usage_of(command) + ["```", "", description_of(command), ""]
    options = r.options_of(command)
    first = command["first"].split()
    for title, chosen in [("The options that people need first", [x for n in first for x in options if x[0]["name"] == n]),
                          ("All others" if first else "Options", [x for x in options if x[0]["name"] not in first])]:
        if not chosen:
            continue
        lines += [f"## {title}", "", "| option | default | |", "| --- | --- | --- |"]
        for option, use in chosen:
            name = (f"-{option['letter']}, " if option["letter"] else "") + f"--{option['name']}" + (f" {option['argument']}" if option["argument"] else "")
            cell = lambda text: " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
            lines.append(f"| `{name.replace('|', chr(92) + '|')}` | {cell(option['default'])} | {cell(use['help'])} |")
        lines.append("")
    for part in ["example", "exit status"]:
        found = re.search(rf"^{part}:\n((?:(?:  .*|@status)\n)+)", command["help"], re.M)
        if found:
            lines += ["## " + {"example": "Examples", "exit status": "Exit status"}[part], "", "```"]
            lines += [line[2:] for line in found[1].replace("@status\n", r.all["status"]).splitlines()] + ["```", ""]
    return "\n".join(lines)


def main():
    how, reference, *rest = sys.argv[1:]
    r = Reference(reference)
    if how == "pages":
        for command in r.commands:
            pathlib.Path(rest[0], command["name"].replace("+", "x") + ".md").write_text(page_of(r, command))
        return
    sys.stdout.write({"bash": bash, "zsh": zsh, "fish": fish, "man": man}[how](r, *rest))


if __name__ == "__main__":
    main()
