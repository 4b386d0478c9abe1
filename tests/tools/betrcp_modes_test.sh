#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp: permissions and access control lists of what a copy finds at its destination, and of what it makes there.
. "$BETR_SOURCE_DIR/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 16M disk.img
umask 022

# has_mode PATH WANTED
has_mode() {
  [ "$(stat -c %a "$1")" = "$2" ] || fail "$1: mode $(stat -c %a "$1"), not $2"
}

# As cp -r: what is there keeps its permissions, both ways.
keeps_modes_without_a() {
  mkdir -p src/sub
  echo x >src/f
  expect 0 betrcp -r src :/
  local mode
  for mode in 1777 700 2775; do
    mkdir "d-$mode"
    chmod "$mode" "d-$mode"
    cp -r "d-$mode" "cp-$mode"
    chmod "$mode" "cp-$mode"
    expect 0 betrcp -r :/src/. "d-$mode"
    cp -r src/. "cp-$mode"
    diff <(cd "cp-$mode" && find . -printf '%m %p\n' | sort) <(cd "d-$mode" && find . -printf '%m %p\n' | sort) ||
      fail "modes differ from those of cp -r in a directory with mode $mode"
    has_mode "d-$mode" "$mode"
    expect 0 betrcp -a "d-$mode" :/
    expect 0 betrcp -rT src ":/d-$mode"
    expect 0 betrcp -a ":/d-$mode" "back-$mode"
    has_mode "back-$mode" "$mode"
  done
  mkdir root
  chmod 1777 root
  expect 0 betrcp -r :/ root
  has_mode root 1777
  # With -a they are those of the source.
  expect 0 betrcp -a :/src/. root
  has_mode root 755
}

keeps_modes_without_a
