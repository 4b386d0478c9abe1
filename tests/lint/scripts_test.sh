#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Exit codes of scripts/tidy, and what the scripts that install do without HOME: with stand-ins for the programs that
# they call.
source "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

mkdir -p scripts bin build/clang build/crates/bin
cp "$BETR_SOURCE_DIR"/scripts/{tidy,install-deps,install-crates} scripts
stand_in() { # <program> <line>...
  printf '%s\n' '#!/bin/sh' "${@:2}" >"$1"
  chmod +x "$1"
}
PATH=$work/bin:$PATH

stand_in bin/cmake
stand_in bin/clang-tidy-16 'for file; do :; done' 'case $file in *dirty*) exit 1 ;; esac'
expect 0 scripts/tidy clean.cc
expect 1 scripts/tidy clean.cc dirty.cc clean.cc
expect 2 scripts/tidy --no-such-option

stand_in bin/dpkg-query 'echo installed'
stand_in bin/apt-get 'echo apt-get "$@"' 'exit 1'
for crate in pjdfstest fsx; do stand_in build/crates/bin/$crate; done
for arguments in install-deps "install-deps --test" "install-deps --all" install-crates; do
  # shellcheck disable=SC2086  # arguments are words
  expect 0 env -u HOME -u CARGO_HOME scripts/$arguments
  [ ! -s out ] || fail "$arguments: $(cat out)"
done
