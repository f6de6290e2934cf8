# SPDX-License-Identifier: Apache-2.0
#
# What the runtime has, from its C files: function|name|file for the functions that it takes over, makes|name|call for those
# of them that only make a system call, and call|name|file for
# the system calls that it makes itself, by its tables ([SYS_name] = maker, {SYS_name, ..., maker}) and by two switches.

FNR == 1 {
  file = FILENAME
  sub(/.*worlds\/threads\//, "", file)
}

/^EXPORT / && match($0, /[A-Za-z_0-9]+\(/) {
  function_ = substr($0, RSTART, RLENGTH - 1)
  print "function|" function_ "|" file
}

# Functions that only make a call.
file == "kernel/descriptor_functions.c" && match($0, /SYS_[a-z0-9_]+/) {
  print "makes|" function_ "|" substr($0, RSTART + 4, RLENGTH - 4)
}

# Functions that a macro makes.
/^[A-Z][A-Z_]*\(/ {
  n = split($0, word, /[^A-Za-z0-9_]+/)
  for (i = 2; i <= n; i++)
    print "function|" word[i] "|" file
}

file == "system/call_rules.c" { next } # only what each touches

{
  line = $0
  while (match(line, /\[SYS_[a-z0-9_]+\] = [a-z]|[{]SYS_[a-z0-9_]+,[^{}]* [a-z_]+[}]/)) {
    name = substr(line, RSTART + 5)
    sub(/[^a-z0-9_].*/, "", name)
    print "call|" name "|" file
    line = substr(line, RSTART + RLENGTH)
  }
}

(file == "system/timers.c" || file == "kernel/overlay_use.c") && match($0, /case SYS_[a-z0-9_]+/) { print "call|" substr($0, RSTART + 9, RLENGTH - 9) "|" file }
