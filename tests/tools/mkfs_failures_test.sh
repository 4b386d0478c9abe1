#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mkfs.betr: what is left when it is killed, overtaken, or fails, and what it says then.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

# feeding IMAGE [OPTION...]: mkfs.betr, as $maker, makes that image of the pipe endless.tar, which is descriptor 9 here,
# and waits.
feeding() {
  # In the background a shell lets SIGINT be ignored.
  env --default-signal=INT mkfs.betr -q -s 64M --tar endless.tar "$@" 9>&- 2>fed.err &
  maker=$!
  until find "/proc/$maker/fd" ! -name 9 -lname "$PWD/endless.tar" 2>/dev/null | grep -q .; do
    kill -0 $maker || fail "mkfs.betr ended by itself"
    sleep 0.1
  done
}

# A new image cannot be seen before it is whole, and nothing is left of one that does not become so.
is_killed() {
  local signal maker
  mkfifo endless.tar
  for signal in INT TERM HUP KILL; do
    exec 9<>endless.tar
    feeding killed.img
    [ ! -e killed.img ] || fail "half an image can be seen"
    kill -$signal $maker
    wait $maker && fail "mkfs.betr survived SIG$signal"
    [ ! -e killed.img ] || fail "SIG$signal left a file"
    [ $signal = KILL ] || [ -z "$(find . -name '.betr-*')" ] || fail "SIG$signal left a hidden file"
    exec 9>&-
  done
}

# What is left of an image that was there is whole, but nobody is told that it holds files.
is_killed_over_an_image() {
  local maker
  cp disk.img over.img
  exec 9<>endless.tar
  feeding over.img -f
  kill -KILL "$maker"
  wait "$maker" && fail "mkfs.betr survived SIGKILL"
  exec 9>&-
  expect 0 fsck.betr over.img
  printed "over.img: clean, but without a file system, .*"
  expect 4 betrcp -i over.img --list
  said "betrcp: open: over.img: holds no file system"
  : >empty.strace
  expect 4 betrreplay -i over.img --root / empty.strace
  said "betrreplay: .*over.img: holds no file system"
  [ -x "$BETR_BIN_DIR/mount.betr" ] || return 0
  expect 32 mount.betr over.img .
  said "mount.betr: open: over.img: holds no file system"
}

knows_read_only_devices() {
  local device
  # Only root can make a device.
  [ "$(id -u)" = 0 ] && device=$(losetup -f --show -r disk.img 2>/dev/null) || return 0
  local code=0 dry=0
  mkfs.betr -f "$device" >out 2>err || code=$?
  mkfs.betr -n -f "$device" >out 2>&1 || dry=$?
  losetup -d "$device"
  [ "$code $dry" = "3 3" ] || fail "a read-only device: exit $code, with -n $dry"
  said "mkfs.betr: open: $device: the block device is read-only"
}

# Of two that make the same image the faster one has made it, whatever becomes of the other.
is_overtaken() {
  local maker
  exec 9<>endless.tar
  feeding twice.img
  expect 0 mkfs.betr -q -s 64M -L faster twice.img
  cp twice.img before.img
  cat no.tar >&9
  exec 9>&-
  wait $maker && fail "mkfs.betr takes what is no archive"
  cmp twice.img before.img || fail "a failure changed somebody else's image"
  rm twice.img
  exec 9<>endless.tar
  feeding twice.img
  expect 0 mkfs.betr -q -s 64M -L faster twice.img
  cp twice.img before.img
  cat source.tar >&9
  exec 9>&-
  wait $maker && fail "mkfs.betr replaces an image"
  grep -qx "mkfs.betr: make: twice.img: create: File exists" fed.err || fail "stderr: $(cat fed.err)"
  cmp twice.img before.img || fail "an image was replaced"
}

# What is no archive does not cost the image that is there.
looks_at_the_archive_first() {
  cp disk.img before.img
  expect 1 mkfs.betr -q -f --tar no.tar disk.img
  said "mkfs.betr: make: no.tar: archive: Unrecognized archive format"
  expect 1 mkfs.betr -n -f --tar no.tar disk.img
  (
    exec <no.tar
    expect 1 mkfs.betr -q -f --tar - disk.img
    said "mkfs.betr: make: stdin: archive: Unrecognized archive format"
  )
  : >empty.tar
  expect 1 mkfs.betr -q -f --tar empty.tar disk.img
  cmp disk.img before.img || fail "it was overwritten"
  # An archive that stdin stands in the middle of.
  (
    cat no.tar source.tar >behind.tar
    exec <behind.tar
    head -c "$(stat -c %s no.tar)" >/dev/null
    expect 0 mkfs.betr -q -s 16M --tar - behind.img
  )
  expect 0 betrcp -i behind.img --list
  printed random
}

runs_out_of_space() {
  head -c 40M /dev/urandom >source/large
  expect 1 mkfs.betr -q -s 24M -d source full.img
  said "mkfs.betr: make: .*[Nn]o space.*"
  [ ! -e full.img ] || fail "a failure left a file"
}

# Nothing is begun whose plan cannot be printed.
cannot_print() {
  expect 1 bash -c 'mkfs.betr -s 8M unsaid.img >/dev/full'
  said "mkfs.betr: stdout: write: No space left on device"
  [ ! -e unsaid.img ] || fail "it was made"
  cp disk.img before.img
  expect 1 bash -c 'mkfs.betr -f disk.img >/dev/full'
  cmp disk.img before.img || fail "it was overwritten"
  local program
  for program in mkfs.betr betrcp betrdump betrreplay; do
    expect 1 bash -c "$program --help >/dev/full"
    said "$program: stdout: write: No space left on device"
    expect 1 bash -c "$program --version >/dev/full"
  done
  expect 8 bash -c 'fsck.betr --help >/dev/full'
}

runs_out_of_room_on_the_host() {
  local n
  mkdir small many
  for n in $(seq 600); do head -c 60000 /dev/urandom >"many/$n"; done
  # Only root can make a small disk.
  [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=20M tmpfs small 2>/dev/null || return 0
  local code=0 many=0 left
  mkfs.betr -q -s 100M -d many small/full.img 2>many.err || many=$?
  mkfs.betr -q -s 100M -d source small/full.img 2>large.err || code=$?
  left=$(ls -A small)
  # Of an image that was there nothing is left that could be taken for one.
  local over=0
  mkfs.betr -q -s 100M small/over.img
  mkfs.betr -q -f -d many small/over.img 2>over.err || over=$?
  betrcp -i small/over.img --list 2>err || true
  said "betrcp: open: small/over.img: not a betr image"
  expect 0 mkfs.betr -n small/over.img
  umount small
  [ $over = 1 ] || fail "exit $over over an image on a full disk: $(cat over.err)"
  [ "$code $many" = "1 1" ] || fail "exit $code, with many files $many, on a full disk"
  [ "$(grep -o "No space left" many.err | wc -l)" = 1 ] || fail "the reason, not once: $(cat many.err)"
  grep -qE "^mkfs.betr: make: (source/large: .*|small/full.img: write .*): No space left on device$" large.err ||
    fail "$(cat large.err)"
  [ -z "$left" ] || fail "a failure left $left"
}

expect 0 mkfs.betr -q -s 64M disk.img
mkdir source
head -c 300000 /dev/urandom >source/random
tar -C source -cf source.tar .
seq 1000 >no.tar
is_killed
is_killed_over_an_image
knows_read_only_devices
is_overtaken
looks_at_the_archive_first
runs_out_of_space
runs_out_of_room_on_the_host
cannot_print
