#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every function that a header of the C interface declares is used by a program in C, is tried with null by a test or
# takes nothing, and is in the shared library.
set -euo pipefail
cd "$BETR_SOURCE_DIR"

failures=0
complain() {
  echo "c: $*"
  failures=$((failures + 1))
}

library=$BETR_BUILD_DIR/lib/libbetr.so
[ ! -e "$library" ] || symbols=$(nm -D --defined-only "$library")

check_header() { # <header> <functions it has at least> <program in C> <test of null>
  local function functions
  functions=$(grep -v '^ *//' "include/betr/$1" | grep -oE '\bbetr_[a-z_]+\(' | tr -d '(' | sort -u)
  [ "$(wc -l <<<"$functions")" -ge "$2" ] || complain "too few functions found in $1"
  for function in $functions; do
    grep -q "\b$function(" "tests/c/$3" || complain "$function is not used in tests/c/$3"
    case $function in
      betr_range_*) continue ;; # in the header
      betr_version | betr_error_message | betr_error_errno | betr_code_name | betr_batch_new | betr_result_set) ;;
      *) grep -q "\b$function(" "tests/c/$4" || complain "$function is not tried with null in tests/c/$4" ;;
    esac
    [ ! -e "$library" ] || grep -q " T $function\$" <<<"$symbols" || complain "$function is not in $library"
  done
}

check_header c.h 60 whole_header.c null_test.cc
check_header c_filesystem.h 35 whole_filesystem.c fs_null_test.cc
exit $((failures > 0))
