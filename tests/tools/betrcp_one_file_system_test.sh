#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp -x, and that of mkfs.betr: what is mounted in a tree is not copied, but for the directory that it is mounted
# on.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 16M disk.img

mkdir -p tree/a tree/mnt tree/z
echo a >tree/a/file
echo z >tree/z/file
[ "$(id -u)" = 0 ] && mount -t tmpfs -o mode=711 none tree/mnt 2>/dev/null || exit 77
trap 'umount tree/mnt; rm -rf "$work"' EXIT
mkdir tree/mnt/sub
echo other >tree/mnt/file
echo other >tree/mnt/sub/file

# list: what the image has of the tree.
list() {
  expect 0 betrcp --list -R tree
  sort out | tr "\n" " "
}

stays_on_one() {
  expect 0 betrcp -a -x tree :/
  silent
  [ "$(list)" = "a a/file mnt z z/file " ] || fail "copied: $(cat out)"
  expect 0 betrcp --list -l tree
  printed "drwx--x--x .* mnt"
  expect 0 betrcp --remove tree
  expect 0 betrcp -a tree :/
  [ "$(list)" = "a a/file mnt mnt/file mnt/sub mnt/sub/file z z/file " ] || fail "without -x: $(cat out)"
}

# What is not looked at on the host is not said to be missing there.
removes_nothing_from_others() {
  echo other >tree/mnt/more
  rm -r tree/mnt/sub
  rm tree/z/file
  expect 0 betrcp -aT --one-file-system --delete tree :/tree
  [ "$(list)" = "a a/file mnt mnt/file mnt/sub mnt/sub/file z " ] || fail "after --delete: $(cat out)"
}

# Each SRC has its own.
begins_anywhere() {
  expect 0 betrcp -r -x tree/mnt tree/a :/
  expect 0 betrcp --cat mnt/file a/file
  diff out <(printf '%s\n' other a) || fail "copied: $(cat out)"
}

fills_a_new_image() {
  expect 0 mkfs.betr -q -s 16M -x -d tree new.img
  expect 0 betrcp --list -R new.img:/
  [ "$(sort out | tr "\n" " ")" = "a a/file mnt z " ] || fail "filled with: $(cat out)"
  expect 2 mkfs.betr -q -s 16M -x other.img
  said "mkfs.betr: -x: only with -d"
}

is_refused_elsewhere() {
  expect 2 betrcp -a -x :/tree out.dir
  said "betrcp: -x: only into the image.*"
  expect 2 betrcp -x tree/a/file :/
  said "betrcp: -x: only with -r or -a"
  expect 2 betrcp --list -x tree
  said "betrcp: -x: only for copies"
}

stays_on_one
removes_nothing_from_others
begins_anywhere
fills_a_new_image
is_refused_elsewhere
