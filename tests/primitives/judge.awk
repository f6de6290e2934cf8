# SPDX-License-Identifier: Apache-2.0
#
# Judges the cases of the primitives and prints the matrix of function and outcome, and that of the interfaces: whether
# each is taken over, how, and where its model is. Reads these files, in this order: matrix.txt (function: outcome...),
# the functions the runtime exports, interfaces.txt (area: name[=system call]...), what the code has (code.awk), and what
# tests/e2e/primitives.sh noted:
#
#   @case|compiler|program|name|verdict|outcomes|text     a case begins
#   @run|strategy   ...output and JSON...   @status|n     one run of it
#   :: function outcome                                   the program saw this outcome
#   == what value                                         it saw this value; all executions must agree
#
# An outcome counts only if the case that showed it holds. `tests` is the folder of the tests that functions are left to.

BEGIN { FS = "|" }

FNR == 1 { files++ }

# ---- what is declared, what exists ----

# elsewhere TEST (reason): function...
function leave_to_another_test(    test, list, i, n, word) {
  test = $0
  sub(/^elsewhere /, "", test)
  sub(/ .*/, "", test)
  list = $0
  sub(/^[^)]*\): /, "", list)
  n = split(list, word, " ")
  for (i = 1; i <= n; i++) {
    left_to[word[i]] = test
    left[++lefts] = word[i]
  }
}

# Every word of a test's text.
function read_words(test,    line, i, n, word) {
  if (test in was_read)
    return
  was_read[test] = 1
  while ((getline line < (tests "/" test)) > 0) {
    n = split(line, word, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= n; i++)
      names[test, word[i]] = 1
  }
}

files == 1 {
  if ($0 == "" || $0 ~ /^#/)
    next
  if ($0 ~ /^elsewhere /) {
    leave_to_another_test()
    next
  }
  name_ends = index($0, ": ")
  current = substr($0, 1, name_ends - 1)
  if (!(current in outcomes_of))
    row[++rows] = current
  number = split(substr($0, name_ends + 2), word, " ")
  for (i = 1; i <= number; i++)
    if (!((current, word[i]) in declared))
      outcomes_of[current] = outcomes_of[current] (outcomes_of[current] == "" ? "" : " ") word[i]
  for (i = 1; i <= number; i++)
    declared[current, word[i]] = 1
  next
}

files == 2 {
  exported[++exports] = $0
  exists[$0] = 1
  next
}

files == 3 {
  if ($0 == "" || $0 ~ /^#/)
    next
  area = substr($0, 1, index($0, ": ") - 1)
  number = split(substr($0, index($0, ": ") + 2), word, " ")
  for (i = 1; i <= number; i++) {
    interface[++interfaces] = word[i]
    area_of[interfaces] = area
  }
  next
}

files == 4 {
  if (!(($1, $2) in model))
    model[$1, $2] = $3
  next
}

# ---- one case ----

function complain(reason) { why = why (why == "" ? "" : "; ") reason }

function judge(    i, n, want, cell, label) {
  if (name == "")
    return
  if (verdict == "pass") {
    n = split(wanted, want, ", *")
    for (i = 1; i <= n; i++) {
      cell = want[i] ~ /:/ ? want[i] : subject ":" want[i]
      if (!(cell in saw))
        complain("never saw " cell)
    }
  } else if (!told)
    complain("no " verdict " that says \"" text "\"")
  if (why != "") {
    print "not ok - " compiler " " program ": " name " (" why ")"
    failed++
    return
  }
  print "ok - " compiler " " program ": " name
  passed++
  for (cell in saw)
    seen[cell] = 1
  if (verdict != "pass") {
    label = name
    sub(/^[^.]*\./, "", label)
    seen[subject ":" (verdict == "property" ? "misuse" : verdict) ":" label] = 1
  }
}

$1 == "@case" {
  judge()
  compiler = $2; program = $3; name = $4; verdict = $5; wanted = $6; text = $7
  subject = name
  sub(/\..*/, "", subject)
  why = ""; told = 0
  split("", saw); split("", value)
  next
}

$1 == "@run" { strategy = $2; bugs = 0; kind = ""; last = ""; next }

$1 == "@status" {
  if (verdict == "pass" && ($2 != 0 || bugs))
    complain(strategy " ends with status " $2 (bugs ? "" : ": " last))
  if (verdict != "pass" && $2 != 1)
    complain(strategy " ends with status " $2 ($2 ? ": " last : ""))
  next
}

$1 == "@broken" { print "not ok - " $2 " " $3 ": does not compile"; failed++; next }
$1 == "@warning" { print "not ok - warning of the compiler: " $2; failed++; next }

/^ *:: / {
  split($0, part, " ")
  saw[part[2] ":" part[3]] = 1
  next
}

/^ *== / {
  sub(/^ *== /, "")
  what = $0
  sub(/ .*/, "", what)
  if (what in value && value[what] != $0)
    complain("not the same in every execution: " value[what] ", " $0)
  value[what] = $0
  next
}

/^ *"kind": / { kind = $0; gsub(/.*: "|",?$/, "", kind); bugs++; if (kind != verdict) wrong = 1; else wrong = 0; next }

/^ *"message": / {
  message = $0
  sub(/^ *"message": "/, "", message)
  sub(/",?$/, "", message)
  if (wrong)
    complain(strategy " finds " kind ": " message)
  else if (index(message, text))
    told = 1
  else
    complain(strategy " says: " message)
  next
}

/^ *"replayed": false/ { complain("not replayed"); next }
/^heddle: / { last = $0 }

# ---- the matrix ----

function column(outcome) {
  if (outcome == "proceeds" || outcome == "blocks")
    return outcome
  if (outcome == "ETIMEDOUT" || outcome == "thrd_timedout")
    return "timeout"
  if (outcome ~ /^E[A-Z0-9]+$/ || outcome ~ /^thrd_/)
    return "errors"
  if (outcome ~ /^[a-z]+:/)
    return "findings"
  return "other"
}

function hole(text) {
  holes++
  hole_text[holes] = text
}

function mark(function_, outcome) {
  if ((function_ ":" outcome) in seen)
    return ""
  hole(function_ " " outcome)
  return "HOLE "
}

function print_row(function_,    i, n, word, c, cell) {
  split("", cell)
  n = split(outcomes_of[function_], word, " ")
  for (i = 1; i <= n; i++) {
    c = column(word[i])
    cells++
    if (c == "proceeds" || c == "blocks" || c == "timeout")
      cell[c] = mark(function_, word[i]) == "" ? "yes" : "HOLE"
    else
      cell[c] = cell[c] (cell[c] == "" ? "" : " ") mark(function_, word[i]) word[i]
  }
  printf "%-36s %-8s %-6s %-7s %s\n", function_, cell["proceeds"] == "" ? "." : cell["proceeds"],
    cell["blocks"] == "" ? "." : cell["blocks"], cell["timeout"] == "" ? "." : cell["timeout"],
    cell["errors"] (cell["other"] == "" ? "" : " | " cell["other"]) (cell["findings"] == "" ? "" : " | " cell["findings"])
}

function print_matrix(    i, cell, part) {
  print ""
  printf "%-36s %-8s %-6s %-7s %s\n", "function", "proceeds", "blocks", "timeout", "errors | other outcomes | findings"
  for (i = 1; i <= rows; i++)
    print_row(row[i])
  for (i = 1; i <= exports; i++) {
    if (!(exported[i] in outcomes_of) && !(exported[i] in left_to))
      hole(exported[i] " has no row")
  }
  for (i = 1; i <= lefts; i++) {
    read_words(left_to[left[i]])
    if (!((left_to[left[i]], left[i]) in names))
      hole(left[i] " is left to " left_to[left[i]] ", which does not name it")
    if (!(left[i] in exists))
      hole(left[i] " is left to " left_to[left[i]] " but does not exist")
  }
  for (cell in seen) {
    split(cell, part, ":")
    sub(/^[^:]*:/, "", cell)
    if (!((part[1], cell) in declared))
      hole(part[1] " " cell " is seen but not declared")
  }
  print ""
  printf "%d functions, %d outcomes, %d holes; %d functions are left to other tests\n", rows, cells, holes, lefts
  for (i = 1; i <= holes; i++)
    print "not ok - matrix: " hole_text[i]
  if (!holes)
    print "ok - the matrix has no hole"
}

# By a function of ours, or by the system call that libc makes; "": not at all.
function taken_over(name, call) {
  if (call == "-")
    return "nobody"
  if (name in exists)
    return "function"
  return ("call", call) in model ? "call " call : ""
}

function model_of(name, call) {
  if (call == "-")
    return "the thread's own memory"
  if (("makes", name) in model)
    call = model["makes", name]
  else if (("function", name) in model && name in exists)
    return model["function", name]
  return ("call", call) in model ? model["call", call] : ""
}

function print_interfaces(    i, j, n, name, call, word, area, tried, before) {
  before = holes
  print ""
  printf "%-26s %-22s %-34s %s\n", "interface", "taken over by", "model", "outcomes tried"
  for (i = 1; i <= interfaces; i++) {
    if (area_of[i] != area)
      printf "-- %s\n", area = area_of[i]
    split(interface[i], word, "=")
    name = word[1]
    call = word[2]
    tried = 0
    n = split(outcomes_of[name], word, " ")
    for (j = 1; j <= n; j++)
      tried += (name ":" word[j]) in seen
    printf "%-26s %-22s %-34s %d of %d\n", name, taken_over(name, call), model_of(name, call), tried, n
    if (taken_over(name, call) == "")
      hole(name " is not taken over")
    else if (model_of(name, call) == "")
      hole(name " has no model")
    if (!(name in outcomes_of))
      hole(name " has no row")
    else if (tried < n)
      hole(name ": " tried " of " n " outcomes were tried")
  }
  print ""
  printf "%d interfaces, %d holes\n", interfaces, holes - before
  for (i = before + 1; i <= holes; i++)
    print "not ok - interfaces: " hole_text[i]
  if (holes == before)
    print "ok - every interface is taken over, has a model, and all its outcomes are tried"
}

END {
  judge()
  if (partial == "") {
    print_matrix()
    print_interfaces()
  }
  printf "%d cases hold, %d do not\n", passed, failed
}
