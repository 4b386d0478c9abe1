#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp: operands that mean a directory, and options that fit no command.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img

# A slash or a dot behind the name of what is no directory.
demands_directories() {
  local end
  touch file
  for end in / /. // /./; do
    for command in --list --cat --rename --clone; do
      local operands=("short$end")
      case $command in --rename | --clone) operands+=(other) ;; esac
      expect 1 betrcp "$command" "${operands[@]}"
      said "betrcp: ${command#--}: short$end: Not a directory"
    done
    expect 1 betrcp ":/short$end" .
    said "betrcp: export: /short$end: Not a directory"
    expect 1 betrcp --tar ":/short$end" short.tar
    said "betrcp: export: /short$end: Not a directory"
    [ ! -e short.tar ] || fail "an archive of nothing"
    expect 1 betrcp tree/numbers ":/short$end"
    said "betrcp: import: /short$end: Not a directory"
    expect 1 betrcp :/short "file$end"
    said "betrcp: export: file$end: Not a directory"
    expect 1 betrcp "file$end" :/new
    said "betrcp: import: file$end: Not a directory"
    expect 1 betrcp --rename short "fresh$end"
    said "betrcp: rename: fresh$end: Not a directory"
    expect 1 betrcp --clone short "fresh$end"
    said "betrcp: clone: fresh$end: Not a directory"
  done
  expect 0 betrcp --mkdir -p demanded/below/
  expect 0 betrcp --list demanded/.
  printed below
  expect 0 betrcp --rename demanded/ fresh/
  expect 0 betrcp --clone fresh/ again/
  expect 0 betrcp --list again/below/.
  expect 0 betrcp --remove fresh again
}

# What was asked for has to show.
knows_what_prints() {
  local command
  for command in "--mkdir new" "--remove short" "--rename short new" "--cat short"; do
    expect 2 betrcp --json $command
    said "betrcp: --json: for copies, --tar, --clone, --list, --diff and --du"
  done
  expect 0 betrcp -q -v --clone short quiet
  [ ! -s out ] && silent || fail "-q prints"
  expect 0 betrcp -q -v tree/numbers :/quiet
  [ ! -s out ] && silent || fail "-q prints"
  expect 0 betrcp --remove quiet
}

# What a command does not do, nobody may think that it did.
knows_which_options_apply() {
  local operands option
  for operands in "short :/new" "--tar short.tar :/new" "--clone short new" "--rename short new" "--remove short" \
    "--list short" "--cat short"; do
    expect 2 betrcp -p $operands
    said "betrcp: -p: only with --mkdir; -a keeps owners and times"
  done
  for operands in "short :/new" "--mkdir new" "--tar short.tar :/new" "--clone short new"; do
    expect 2 betrcp -l $operands
    said "betrcp: -l: only with --list, --diff and --du"
    expect 2 betrcp -R $operands
    said "betrcp: -R: only with --list; -r copies directories"
  done
  for operands in "--clone short new" "--rename short new" "--tar short.tar :/new" "--list" "--remove short" \
    "--mkdir new" "--cat short"; do
    for option in -r -a; do
      expect 2 betrcp $option $operands
      said "betrcp: $option: only for copies"
    done
  done
  for operands in "--tar short.tar :/new" "--list" "--remove short" "--mkdir new" "--cat short"; do
    expect 2 betrcp -T $operands
    said "betrcp: -T: only for copies, --clone and --rename"
  done
  expect 0 betrcp --cat short
  expect 1 betrcp --list new
}

# BETR_IMAGE is for whatever names no image. Who gives -i means that image.
knows_two_images() {
  cp disk.img other.img
  local operands
  for operands in "other.img:/short out" "--clone short other.img:/new" "--list other.img:/"; do
    expect 0 betrcp $operands
    expect 2 betrcp -i disk.img $operands
    said "betrcp: .*disk.img and other.img are two images: copy through the host"
  done
  expect 0 betrcp -i other.img other.img:/short out
  rm other.img out
}

# Paths on a mount, with a variable that somebody has forgotten.
says_where_it_has_looked() {
  mkdir -p mnt/a
  local command
  for command in "--clone mnt/a mnt/b" "--remove mnt/a"; do
    expect 1 betrcp $command
    said "betrcp: .*: mnt: No such file or directory in $BETR_IMAGE, as BETR_IMAGE says: unset that for a mount"
    expect 1 betrcp -i disk.img $command
    said "betrcp: .*: mnt: No such file or directory"
    expect 1 betrcp ${command//mnt/none}
    said "betrcp: .*: none: No such file or directory"
  done
  expect 0 betrcp --mkdir tree
  expect 1 betrcp --clone tree tree
  said "betrcp: clone: tree/tree: cannot clone a directory into itself"
}

expect 0 mkfs.betr -q -s 64M disk.img
mkdir tree
seq 1000 >tree/numbers
echo short >short
expect 0 betrcp short :/
demands_directories
knows_what_prints
knows_which_options_apply
knows_two_images
says_where_it_has_looked
