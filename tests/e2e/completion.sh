#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is made from the list of commands and options: completion in bash, zsh and fish, the manual, and that the list is
# whole: every option that help puts first exists, every option is in the manual and in the completion of each shell.
. "$(dirname "$0")/lib.sh"
made=$(dirname "$heddle")/docs

# ---- the list ----

"$heddle" help --json >options.json
check "help --json is JSON, and what its lists say holds" python3 - "$heddle" "$root" <<'END'
import json, pathlib, subprocess, sys
all = json.load(open("options.json"))
heddle, root = sys.argv[1], pathlib.Path(sys.argv[2])
version = subprocess.run([heddle, "--version"], capture_output=True, text=True).stdout.split()[1]
assert all["heddle"] == version
for command in all["commands"]:
    takes = {o["name"] for o in all["options"] for u in o["uses"] if command["name"] in u["commands"]}
    first = command["first"].split()
    assert set(first) <= takes, command
    assert len(first) == 5 or len(takes) <= 6, command
    short = subprocess.run([heddle, "help", command["name"]], capture_output=True, text=True).stdout
    long = subprocess.run([heddle, "help", command["name"], "--all-options"], capture_output=True, text=True).stdout
    for name in takes:
        assert f"--{name}" in long, (command["name"], name)
    if first:
        assert f"--all-options lists {len(takes) - 5} more" in short, short
for page in ["heddle.1"]:
    manual = (root / "docs" / (page + ".in")).read_text()
    assert "@options" in manual and "@commands" in manual
END
expect_output "heddle check --all-options" '--race-detector HOW' "$heddle" check --all-options
run "$heddle" check --help
if grep -q -- --race-detector .output; then not_ok "--help lists what is needed first"; else ok "--help lists what is needed first"; fi
for topic in start builds story complete strategies ci settings; do
  expect_status "help $topic" 0 "$heddle" help "$topic"
done
expect_output "a topic that is near" 'did you mean strategies' "$heddle" help strategy
expect_output "losses are in the topic complete" '^  reuse +it compares' "$heddle" help complete
expect_output "localize" '^usage: heddle localise' "$heddle" localize --help
expect_output "minimize" '^heddle: minimise needs' "$heddle" minimize

# ---- the manual ----

check "the manual is clean" man --warnings -l "$made/heddle.1"
if [ -s .output ] && man -l --warnings "$made/heddle.1" 2>&1 >/dev/null | grep -q .; then not_ok "the manual has no warnings"; else ok "the manual has no warnings"; fi
expect_output "the manual has the version" "heddle $("$heddle" --version | cut -d' ' -f2)" sh -c "head -n 8 '$made/heddle.1'"
for option in $(python3 -c 'import json; print(*("--" + o["name"] for o in json.load(open("options.json"))["options"]))'); do
  name=${option//-/\\\\-}
  if ! { grep -q "^\.BI .*$name\b" "$made/heddle.1" && grep -qe "$option" "$made/heddle.bash" &&
    grep -qe "$option" "$made/_heddle" && grep -qe "-l ${option#--}" "$made/heddle.fish"; }; then
    not_ok "$option is everywhere"
  fi
done
ok "options were looked for everywhere"

# Whatever a verdict may have lost is in the manual, by the name it has in JSON.
for loss in $(sed -n 's/^  X([A-Z_]*, "\([a-z-]*\)",.*/\1/p' "$root/src/core/loss.h"); do
  if grep -qF -- ".B ${loss//-/\\-}" "$made/heddle.1"; then ok "loss $loss"; else not_ok "loss $loss" "not in heddle.1"; fi
done

# ---- shells ----

# completes NAME EXPECTED WORD...: what bash offers for the last word.
completes() {
  local name=$1 expected=$2 got
  shift 2
  got=$(bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _heddle; printf "%s\n" "${COMPREPLY[@]}" | LC_ALL=C sort | xargs' "$made/heddle.bash" "$@")
  if [ "$got" = "$expected" ]; then ok "bash: $name"; else not_ok "bash: $name" "$got"; fi
}
completes "a command" "check" heddle che
completes "both spellings" "localise localize" heddle loc
completes "an option" "--race-detector --races" heddle check --race
completes "not an option of another" "" heddle check --times
completes "a value" "snapshot" heddle check --reset sn
completes "a strategy" "pct period portfolio pos" heddle run --strategy p
completes "a strategy of explore" "dfs dpor" heddle explore --strategy d
completes "a topic" "strategies stress" heddle help str
touch prog.c prog.d
completes "a file" "prog.c prog.d" heddle check prog
completes "files after --" "prog.c prog.d" heddle check ./x -- prog

if command -v fish >/dev/null; then
  check "fish: it can be read" fish -n "$made/heddle.fish"
  expect_output "fish: an option" '^--race-detector' fish -c "source '$made/heddle.fish'; complete -C 'heddle check --race-'"
  expect_output "fish: a value" '^snapshot' fish -c "source '$made/heddle.fish'; complete -C 'heddle check --reset sn'"
fi
if command -v zsh >/dev/null; then
  check "zsh: it can be read" zsh -n "$made/_heddle"
  # Completion of zsh needs a terminal: a zsh in a pseudo-terminal of another zsh.
  cat >zpty.zsh <<END
zmodload zsh/zpty
zpty z zsh -f
zpty -w z 'fpath=($made \$fpath); autoload -U compinit; compinit -u -D; PS1=REA""DY; setopt no_always_last_prompt'
zpty -r -m z x '*READY*'
zpty -n -w z \$'heddle check --race-\t\t'
zpty -r -m z y '*race-detector*'
print -r -- \$y
END
  expect_output "zsh: an option" 'race-detector' timeout 200 zsh -f zpty.zsh
fi
