#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp --diff on a mount says what it says inside the image; and the ioctls behind it.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

export PYTHONPATH=$BETR_SOURCE_DIR/tests/fuse PYTHONDONTWRITEBYTECODE=1

# In the mount: runs a function of differences.py.
checked() { # <function> [ARGUMENT...]
  (cd "$mnt" && python3 -c 'import differences, sys; getattr(differences, sys.argv[1])(*sys.argv[2:])' "$@") \
    >said 2>&1 || fail "$1: $(cat said)"
}

# What betrcp says of the two trees, as text and as JSON; both ways.
told() { # <to>
  local pair
  for pair in "tree copy" "copy tree"; do
    betrcp --diff $pair
    betrcp --diff -l $pair
    betrcp --diff --json $pair
  done >"$1"
}

knows_mistakes() {
  expect 1 betrcp --diff "$mnt/absent" "$mnt/tree"
  said "betrcp: diff: $mnt/absent: No such file or directory"
  expect 1 betrcp --diff "$mnt/tree" "$mnt/absent"
  said "betrcp: diff: $mnt/absent: No such file or directory"
  expect 1 betrcp --diff "$PWD" "$mnt/tree"
  said "betrcp: diff: $PWD: not on a mounted betr image, and no image was named \(-i\)"
  expect 1 betrcp --diff "$mnt/tree" "$PWD"
  said "betrcp: diff: $PWD: not on a mounted betr image, and no image was named \(-i\)"
  expect 1 betrcp --diff "$mnt/tree/link" "$mnt/tree"
  said "betrcp: diff: $mnt/tree/link: on a mount only files and directories are compared"
  expect 1 timeout 20 betrcp --diff "$mnt/tree" "$mnt/tree/fifo"
  said "betrcp: diff: $mnt/tree/fifo: on a mount only files and directories are compared"
  expect 2 betrcp --diff "$mnt/tree"
  said "betrcp: --diff: 1 operands: wants A and B"
  expect 0 betrcp --diff "$mnt/tree/file" "$mnt/copy/file"
  [ ! -s out ] && silent || fail "a file differs from its clone"
  expect 0 betrcp --diff "$mnt/tree/linked/first" "$mnt/copy/linked/first"
  printed "M \."
  expect 0 betrcp --diff "$mnt/tree/file" "$mnt/copy"
  printed "T \./"
}

not_of_another_mount() {
  local code=0
  mkfs.betr -q -s 64M second.img
  mkdir second
  mount.betr second.img second
  betrcp --diff "$mnt/tree" second >out 2>err || code=$?
  unmount_own second
  [ $code = 1 ] || fail "exit $code of a comparison with another mount"
  said "betrcp: diff: second: on another mount than $mnt/tree: Invalid cross-device link"
}

in_c() {
  cc -std=c99 -pedantic -Wall -Wextra -Werror -I"$BETR_SOURCE_DIR/include" -o differences \
    "$BETR_SOURCE_DIR/tests/fuse/c_program/differences.c"
  ./differences "$mnt/tree" "$mnt/copy" | sort >by-c
  betrcp --diff -l "$mnt/tree" "$mnt/copy" | cut -c29- | sed 's:/$::; s:^\.$::' | sort | diff by-c - || fail "in C"
}

# unmount_own MOUNT: as unmount_image (mount.sh), of any mount and by umount.betr.
unmount_own() {
  local tries=0
  until umount.betr "$1" 2>own.err; do
    tries=$((tries + 1))
    grep -q "Device or resource busy" own.err && [ $tries -lt 50 ] || fail "$(cat own.err)"
    sleep 0.1
  done
}

# Who serves a mount may know everything there, and nobody else who does not own it.
by_who_serves() {
  mkfs.betr -q -s 64M own.img
  betrcp -i own.img -a secret :/
  betrcp -i own.img --clone secret copy
  betrcp -i own.img --remove copy/file
  chown 1234:1234 own.img "$mnt"
  local as="setpriv --reuid 1234 --regid 1234 --clear-groups"
  # To mount it takes rights that other users may not have everywhere.
  $as --inh-caps +dac_override,+sys_admin --ambient-caps +dac_override,+sys_admin \
    "$BETR_BIN_DIR/mount.betr" own.img "$mnt" -o allow_other || fail "no mount by somebody else than root"
  expect 0 $as "$BETR_BIN_DIR/betrcp" --diff "$mnt/secret" "$mnt/copy"
  printed "D file"
  expect 1 $as "$BETR_BIN_DIR/betrcp" --diff "$mnt/secret/sub" "$mnt/copy/sub"
  said "betrcp: diff: $mnt/secret/sub: Permission denied" # by the kernel: it cannot be opened
  as=${as//1234/1235}
  expect 1 $as "$BETR_BIN_DIR/betrcp" --diff "$mnt/secret" "$mnt/copy"
  said "betrcp: diff: $mnt/secret: Operation not permitted"
  unmount_own "$mnt"
}

chmod 755 "$work"
mkfs.betr -q -s 512M disk.img
for options in cache=64M cache=64M,writeback; do
  mount_image disk.img -o "$options"
  checked make_trees 12000
  (cd mnt && told ../on-mount)
  for name in agrees_with_betrcp counts_what_was_just_written mistakes belongs_to_an_open_file many_ask_at_once \
    many_begin_and_close_at_once is_of_one_instant; do
    checked $name
  done
  knows_mistakes
  ! command -v cc >/dev/null || in_c
  [ "$options" = cache=64M ] || checked is_bounded
  [ -d second ] || not_of_another_mount
  unmount_image
  if [ "$(id -u)" = 0 ]; then
    mount_image disk.img -o "$options,allow_other"
    checked who_may
    unmount_image
  fi
  BETR_IMAGE=disk.img told inside
  cmp on-mount inside || fail "on the mount and inside: $(diff on-mount inside | head -20)"
  mount_image disk.img -o "$options"
  checked outlives_its_mount $daemon
  ended 0
  sound disk.img
  mount_image disk.img -o ro
  (cd mnt && told ../read-only)
  cmp on-mount read-only || fail "read-only"
  unmount_image
  mkfs.betr -q -f -s 512M disk.img
done
[ "$(id -u)" != 0 ] || {
  mkdir -m 755 secret secret/sub
  touch secret/file
  chmod 700 secret/sub
  by_who_serves
}
mkfs.betr -q -s 64M full.img
mount_image full.img -o commit=1 # which is also how often space is looked at
checked is_given_up_for_space
unmount_image
sound full.img
