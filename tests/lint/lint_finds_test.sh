#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/lint must find one specimen of everything that it looks for, and leave a clean tree alone.
set -euo pipefail

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
lint=("$BETR_SOURCE_DIR/scripts/lint" --root "$tree" --no-format)
spdx='// SPDX-License-Identifier: Apache-2.0'
failures=0

fresh() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/{cmake,docs,scripts,lib/base,lib/dag,lib/device,lib/store/offline,lib/fs,include/betr,tests/dag}
  cp "$BETR_SOURCE_DIR/cmake/BetrLayers.cmake" "$tree/cmake/"
  printf '%s\n#pragma once\n' "$spdx" | tee "$tree/lib/store/store.h" "$tree/include/betr/store.h" \
    "$tree/lib/base/units.h" "$tree/lib/device/device.h" "$tree/lib/store/offline/salvage.h" >/dev/null
  printf '%s\n' "$spdx" >"$tree/lib/store/store.cc"
}

clean() { # <description>
  local output
  output=$("${lint[@]}" 2>&1) && return
  echo "$1: the lint complains: $output"
  failures=$((failures + 1))
}

found() { # <check> <path>
  if ! { "${lint[@]}" || true; } 2>&1 | grep -q "^$2:[0-9]*: $1: "; then
    echo "$1: not found in $2"
    failures=$((failures + 1))
  fi
  fresh
}

write() { # <path> <line>...: a C++ file with the licence line
  local path=$1
  shift
  printf '%s\n' "$spdx" "$@" >"$tree/$path"
}

repeat() { # <times> <line>
  for ((i = 0; i < $1; i++)); do echo "$2"; done
}

# The second half of each word comes as an argument, so that this file is clean.
todo=$(printf 'TO%s' DO)
hash_if=$(printf '#if %s' 0)
machine_path=$(printf '/ho%s/somebody' me)

fresh
write lib/base/a.cc '#include "base/units.h"' '#include "betr/version.h"'
write tests/dag/a_test.cc '#include "dag/a.h"' '#include "support/seed.h"'
clean "a clean tree"

write lib/base/a.cc "// $todo: later" && found banned-word lib/base/a.cc
write lib/base/a.cc "$hash_if" "#endif" && found banned-word lib/base/a.cc
echo "Look into $machine_path." >"$tree/docs/a.md" && found banned-word docs/a.md
echo "int a;" >"$tree/lib/base/a.cc" && found licence lib/base/a.cc
write lib/base/a.h "int a;" && found pragma-once lib/base/a.h
write lib/base/a.cc "// $(printf '%0118d' 0)" && found line-length lib/base/a.cc
write lib/base/a.cc "int a; " && found whitespace lib/base/a.cc
write lib/base/a.cc "$(repeat 400 'int Name();')" && found file-length lib/base/a.cc
write lib/base/a.cc "int F() {" "$(repeat 69 '  G();')" "}" && found function-length lib/base/a.cc
write lib/base/a.cc "int F(int n) {" "  if (n) {" "    return 1;" "  }" "  return 0;" "}" && found braces lib/base/a.cc
write lib/base/a.cc "int F(int n) {" "  if (n)" "    return 1;" "  return 0;" "}" && found braces lib/base/a.cc
write lib/base/a.cc "int F(int n) {" "  if (n > 0) {" "    return 1;" "  } else {" "    return 0;" "  }" "}"
clean "braces of one of two branches"
fresh
write lib/base/a.cc '#include "store/store.h"' && found include lib/base/a.cc
write lib/base/a.cc '#include "betr/store.h"' && found include lib/base/a.cc
write lib/dag/a.cc '#include "device/device.h"' && found include lib/dag/a.cc
write lib/store/a.cc '#include "store/offline/salvage.h"' && found include lib/store/a.cc
write lib/fs/a.cc '#include "device/device.h"' && found include lib/fs/a.cc
write lib/store/offline/a.cc '#include "store/store.h"' && clean "a part above its folder"
write tests/dag/a_test.cc '#include "store/store.h"' && found include tests/dag/a_test.cc
write include/betr/a.h '#pragma once' '#include "store/store.h"' && found include include/betr/a.h
echo "[there](nowhere.md)" >"$tree/docs/a.md" && found link docs/a.md
printf '# Here\n[there](#nowhere)\n' >"$tree/docs/a.md" && found link docs/a.md
printf '# Here and now\n[here](a.md#here-and-now) and `[x](y)`\n' >"$tree/docs/a.md" && clean "links that resolve"

# What is named is looked at; a name of nothing is no name of clean files.
write lib/base/a.cc "int a; "
for path in "$tree" "$tree/lib" "$tree/lib/base/a.cc"; do
  ! "${lint[@]}" "$path" >/dev/null 2>&1 || { echo "nothing found in $path" && failures=$((failures + 1)); }
done
write lib/base/a.cc "int a;"
! "${lint[@]}" "$tree/lib/absent" >/dev/null 2>&1 || { echo "a path of nothing" && failures=$((failures + 1)); }
"${lint[@]}" "$tree/lib" >/dev/null 2>&1 || { echo "lib is not clean" && failures=$((failures + 1)); }

# An exception lets a complaint pass, and is itself one when it is not needed.
echo "whitespace lib/base/a.cc a reason" >"$tree/scripts/lint-exceptions"
write lib/base/a.cc "int a; " && clean "an exception"
write lib/base/a.cc "int a;" && found exception scripts/lint-exceptions

if command -v clang-format-16 >/dev/null; then
  lint=("$BETR_SOURCE_DIR/scripts/lint" --root "$tree")
  write lib/base/a.cc "int  a;" && found format lib/base/a.cc
fi

exit $((failures > 0))
