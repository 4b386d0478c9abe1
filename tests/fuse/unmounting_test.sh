#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What umount.betr waits for, and what it says if that does not come.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

[ "$(id -u)" = 0 ] || skip "only root mounts a file system twice"

# quickly COMMAND...: it ends with 0, in less than five seconds.
quickly() {
  local begun=$SECONDS
  expect 0 "$@"
  [ $((SECONDS - begun)) -lt 5 ] || fail "$*: took $((SECONDS - begun)) seconds"
}

# Whoever else reads the image may do so for ever.
beside_readers() {
  expect 0 mount.betr -o ro disk.img "$mnt"
  expect 0 mount.betr -o ro disk.img second
  quickly umount.betr second
  silent
  quickly umount.betr "$mnt"
  expect 0 fsck.betr -n -q disk.img
}

bound() {
  expect 0 mount.betr disk.img "$mnt"
  mount --bind "$mnt" second
  quickly umount.betr "$mnt"
  said "umount.betr: $work/disk.img: still in use by process [0-9]+: also mounted on $work/second"
  quickly umount.betr second
  silent
  expect 0 fsck.betr -n -q disk.img
}

# A process with mounts of its own keeps those that it has begun with.
in_another_namespace() {
  local other
  expect 0 mount.betr disk.img "$mnt"
  unshare -m --propagation private sleep 300 &
  other=$!
  until [ "$(cat /proc/$other/comm)" = sleep ]; do sleep 0.02; done
  quickly umount.betr "$mnt"
  said "umount.betr: $work/disk.img: still in use by process [0-9]+: also mounted in the namespace of process $other"
  kill $other
  wait $other 2>/dev/null || true
  expect 0 mount.betr disk.img "$mnt" # waits for the first server
  quickly umount.betr "$mnt"
}

# A mount that is in no directory any more is not to be seen.
hidden() {
  local server option
  for option in -n -q; do
    mount_image disk.img
    server=$daemon
    mount --bind "$mnt" second
    exec 8<second
    umount -l second
    expect 0 timeout 60 umount.betr $option "$mnt"
    [ $option = -q ] || said "umount.betr: $work/disk.img: still in use by process $server: mounted elsewhere, too\?"
    [ $option = -n ] || silent
    exec 8<&-
    ended 0
  done
}

# A server that has noticed its end is waited for, however long its checkpoint takes.
slow_checkpoint() {
  command -v strace >/dev/null || return 0
  mount_image disk.img
  head -c 1M /dev/urandom >"$mnt/file"
  strace -f -qq -o /dev/null -e trace=fsync,fdatasync -e inject=fsync,fdatasync:delay_enter=12000000:when=1 -p $daemon &
  local tracer=$!
  until grep -q "^TracerPid:[[:space:]]*[1-9]" /proc/$daemon/status; do
    kill -0 $tracer 2>/dev/null || break # not permitted
    sleep 0.02
  done
  expect 0 umount.betr "$mnt"
  silent
  expect 0 fsck.betr -n -q disk.img
  wait $tracer || true
  ended 0
}

tells_how_long() {
  expect 0 mount.betr disk.img "$mnt"
  expect 0 umount.betr -v "$mnt"
  said "umount.betr: waited [0-9]+\.[0-9]+ s until the image was free"
}

not_mounted() {
  expect 32 umount.betr "$mnt"
  said "umount.betr: unmount: $mnt: not mounted"
  expect 32 umount.betr -f "$mnt"
  said "umount.betr: unmount: $mnt: not mounted"
  expect 32 umount.betr -l absent
  said "umount.betr: unmount: absent: No such file or directory"
}

mkfs.betr -q -s 64M disk.img
mkdir second
not_mounted
tells_how_long
beside_readers
bound
in_another_namespace
hidden
slow_checkpoint
sound disk.img
