#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every function that betr/c.h declares is used by tests/c/whole_header.c, is tried with null by null_test.cc or takes
# nothing, and is in the shared library.
set -euo pipefail
cd "$BETR_SOURCE_DIR"

failures=0
complain() {
  echo "c: $*"
  failures=$((failures + 1))
}

functions=$(grep -v '^ *//' include/betr/c.h | grep -oE '\bbetr_[a-z_]+\(' | tr -d '(' | sort -u)
[ "$(wc -l <<<"$functions")" -gt 60 ] || complain "too few functions found in the header"
library=$BETR_BUILD_DIR/lib/libbetr.so
[ ! -e "$library" ] || symbols=$(nm -D --defined-only "$library")

for function in $functions; do
  grep -q "\b$function(" tests/c/whole_header.c || complain "$function is not used in tests/c/whole_header.c"
  case $function in
    betr_range_*) continue ;; # in the header
    betr_version | betr_error_message | betr_code_name | betr_batch_new | betr_result_set) ;;
    *) grep -q "\b$function(" tests/c/null_test.cc || complain "$function is not tried with null" ;;
  esac
  [ ! -e "$library" ] || grep -q " T $function\$" <<<"$symbols" || complain "$function is not in $library"
done
exit $((failures > 0))
