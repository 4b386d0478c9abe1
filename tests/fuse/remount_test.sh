#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A mount that is made read-only, and writable again: what was written is durable, and nothing writes any more.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

[ "$(id -u)" = 0 ] || skip "only root remounts"

# The server is killed, and the image mounted again.
kill_server() {
  kill -9 $daemon
  wait $daemon 2>/dev/null || true
  fusermount3 -uz "$mnt"
  mount_image disk.img "$@"
}

is_durable() {
  local options
  for options in commit=3600 commit=3600,writeback; do
    mount_image disk.img -o "$options"
    mkdir "$mnt/$options"
    head -c 1M /dev/urandom | tee content >"$mnt/$options/file"
    expect 0 mount.betr disk.img "$mnt" -o remount,ro
    silent
    kill_server
    cmp content "$mnt/$options/file" || fail "-o $options: what was written before the remount is lost"
    unmount_image
  done
}

# Who goes on after a remount that could not sync would believe in it.
says_what_fails() {
  mount_image disk.img
  kill -9 $daemon
  wait $daemon 2>/dev/null || true
  expect 32 mount.betr disk.img "$mnt" -o remount,ro
  said "mount.betr: remount: $mnt: not synced: Transport endpoint is not connected"
  fusermount3 -uz "$mnt"
}

not_writable_again() {
  mount_image disk.img -o ro
  expect 0 mount.betr disk.img "$mnt" -o remount,ro,noexec
  silent
  expect 32 mount.betr disk.img "$mnt" -o remount,rw
  said "mount.betr: remount: $mnt: the image is open for reading only, or its device has failed"
  grep -q " $mnt fuse.betr ro,.*noexec" /proc/mounts || fail "$(grep "$mnt" /proc/mounts)"
  unmount_image
}

# The kernel does not look at ioctls.
takes_no_clones() {
  mount_image disk.img
  echo data >"$mnt/file"
  expect 0 betrcp --clone "$mnt/file" "$mnt/before"
  expect 0 mount.betr disk.img "$mnt" -o remount,ro
  expect 1 betrcp --clone "$mnt/file" "$mnt/after"
  said "betrcp: clone: .*/after: Read-only file system"
  expect 1 setfattr -n user.betr.clone -v /after "$mnt/file"
  expect 0 mount.betr disk.img "$mnt" -o remount,rw
  [ ! -e "$mnt/after" ] || fail "a clone on a mount that is read-only"
  expect 0 betrcp --clone "$mnt/file" "$mnt/after"
  # Which of its mounts somebody uses is not known.
  mkdir -p bound
  mount --bind "$mnt" bound
  mount -o remount,bind,ro bound
  expect 0 betrcp --clone bound/file bound/bound
  umount bound
  unmount_image
}

mkfs.betr -q -s 256M disk.img
is_durable
says_what_fails
not_writable_again
takes_no_clones
sound disk.img
