# SPDX-License-Identifier: Apache-2.0
# Of docs/embedding.md what is code, as files that a program includes: of the tables' rows `store.cpp`, `store.c`,
# `files.cpp` and `files.c`, but of those that end the use of an image `store_end.cpp` and the like; of the blocks
# `block1.cpp`, `block1.c`, `block2.cpp` ... Calls in tables that can fail are within Must(), which the program has.
#   awk -v folder=FOLDER -f fragments.awk docs/embedding.md
BEGIN { FS = " [|] "; language["cpp"] = language["c"] = 1 }

/^## / { table = $0 == "## The store" ? "store" : $0 == "## The file system" ? "files" : "" }

/^```/ {
  name = substr($0, 4)
  block = block == "" && name in language ? folder "/block" ++blocks[name] "." name : ""
  next
}

block != "" { print >block }

table != "" && /^[|] / && NF == 3 {
  end = $1 == "| the end" ? "_end" : ""
  check = $1 == "| errors" ? "(void)" : "Must"
  sub(/ [|]$/, "", $3)
  statements($2, folder "/" table end ".cpp")
  statements($3, folder "/" table end ".c")
}

# Of the code in a cell the declarations, as they are, and the calls: not names of types and values.
function statements(cell, file, parts, count, i) {
  count = split(cell, parts, "`")
  for (i = 2; i <= count; i += 2) {
    if (parts[i] ~ / = |^[A-Z][A-Za-z]+ [a-z]|_free\(/) {
      print parts[i] ";" >file
    } else if (parts[i] ~ /[)]$/) {
      print check "(" parts[i] ");" >file
    }
  }
}
