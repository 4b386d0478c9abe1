#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ways of mounting and of ending a mount; what is refused.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

# free IMAGE: nobody has it open any more.
free() {
  local tries=0
  until fsck.betr -n -q "$1" >fsck.out 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || fail "$1 is not free after 10 seconds: $(cat fsck.out)"
    sleep 0.1
  done
}

as_a_daemon() {
  expect 0 mount.betr disk.img "$mnt"
  silent
  is_mounted || fail "not mounted"
  grep -q "^$work/disk.img $mnt fuse.betr rw," /proc/mounts || fail "$(grep "$mnt" /proc/mounts)"
  echo data >"$mnt/file"
  mkdir second
  expect 32 mount.betr disk.img second
  said "mount.betr: open: disk.img: in use by pid .*"
  expect 3 betrcp -i disk.img --mkdir x
  fusermount3 -u "$mnt"
  free disk.img
}

# umount.betr comes back when the image is free.
and_wait() {
  expect 0 mount.betr disk.img "$mnt"
  head -c 20M /dev/urandom >"$mnt/large"
  expect 0 umount.betr "$mnt"
  silent
  expect 0 fsck.betr -n -q disk.img
  expect 32 umount.betr "$mnt"
  expect 32 umount.betr /proc
  said "umount.betr: unmount: /proc: not a mount of betr, but of type proc"
  mkdir -p second_type
  if [ "$(id -u)" = 0 ] && mount -t fusectl none second_type 2>/dev/null; then
    expect 32 umount.betr second_type
    said "umount.betr: unmount: .*: not a mount of betr, but of type fusectl"
    umount second_type
  fi
}

# The image's path is not what the table of mounts has: another name was chosen, or characters of it stand there as
# numbers. A mount that is there is refused at once, one that is ending is waited for.
under_another_name() {
  local image begun
  for image in "a #1 \\043.img" disk.img; do
    [ -e "$image" ] || mkfs.betr -q -s 256M "$image"
    expect 0 mount.betr "$image" "$mnt" -o "${options-noatime}"
    head -c 20M /dev/urandom >"$mnt/large"
    begun=$SECONDS
    expect 32 mount.betr "$image" second
    said "mount.betr: open: .*: in use by pid .*"
    [ $((SECONDS - begun)) -lt 5 ] || fail "refused after $((SECONDS - begun)) seconds only"
    fusermount3 -u "$mnt"
    expect 0 mount.betr "$image" "$mnt" -o "${options-noatime}"
    head -c 20M /dev/urandom >"$mnt/large"
    expect 0 umount.betr "$mnt"
    silent
    expect 0 fsck.betr -n -q "$image"
  done
}

# A file that is closed while umount.betr is at it, as by who asks a mount what image it is of, does not keep it busy.
closed_meanwhile() {
  expect 0 mount.betr disk.img "$mnt"
  (
    exec 8<"$mnt"
    echo >looking
    sleep 0.3
  ) &
  until [ -e looking ]; do sleep 0.01; done
  expect 0 umount.betr "$mnt"
  silent
  wait $!
}

# Who ends mount.betr while it waits for the image does not get a mount afterwards.
waits_in_vain() { expect 124 timeout 1 mount.betr disk.img "$mnt" 9>&-; }
given_up() {
  holding disk.img waits_in_vain
  sleep 1
  ! is_mounted || fail "mounted by what was ended"
  [ -z "$(pgrep -x mount.betr -a | grep -F "$mnt")" ] || fail "still waits: $(pgrep -x mount.betr -a)"
}

# The file behind a loop device is the image that is mounted by that, and the other way round.
by_loop_device() {
  local loop begun
  [ "$(id -u)" = 0 ] && loop=$(losetup -f --show disk.img 2>/dev/null) || return 0
  set -- disk.img "$loop"
  for _ in one other; do
    expect 0 mount.betr "$1" "$mnt"
    begun=$SECONDS
    expect 32 mount.betr "$2" second
    said "mount.betr: open: .*: in use by pid .*"
    [ $((SECONDS - begun)) -lt 5 ] || fail "refused after $((SECONDS - begun)) seconds only"
    expect 0 umount.betr "$mnt"
    set -- "$2" "$1"
  done
  losetup -d "$loop"
}

# Only a lock may go away by waiting: what is not permitted is refused at once.
# write_protected IMAGE [OPTIONS]: becomes a read-only mount, with a warning, as mount(8) makes of it.
write_protected() {
  expect 0 timeout 20 mount.betr "$1" "$mnt" ${2:+-o "$2"}
  said "mount.betr: $1: write-protected, mounted read-only"
  grep -q "^[^ ]* $mnt fuse.betr ro," /proc/mounts || fail "$(grep "$mnt" /proc/mounts)"
  expect 1 touch "$mnt/new"
  expect 32 mount.betr "$1" "$mnt" -o remount,rw
  umount.betr "$mnt"
  expect 0 mount.betr "$1" "$mnt" -o ro
  silent
  umount.betr "$mnt"
}

not_permitted() {
  local loop
  if [ "$(id -u)" != 0 ]; then
    chmod a-w disk.img
    write_protected disk.img
    chmod u+w disk.img
    return
  fi
  if loop=$(losetup -r -f --show disk.img 2>/dev/null); then
    write_protected "$loop"
    write_protected "$loop" rw,noexec
    losetup -d "$loop"
  fi
  if chattr +i disk.img 2>/dev/null; then
    write_protected disk.img
    chattr -i disk.img
  fi
}

by_signal() {
  local signal
  for signal in TERM INT HUP; do
    mount_image disk.img
    echo $signal >"$mnt/signal"
    kill -$signal $daemon
    ended 0
    expect 0 betrcp -i disk.img --cat signal
    printed $signal
  done
}

# A signal ends the mount even if files are open; what was written is there.
while_busy() {
  mount_image disk.img
  exec 8>"$mnt/busy"
  echo busy >&8
  kill -TERM $daemon
  ended 0
  exec 8>&-
  expect 0 betrcp -i disk.img --cat busy
  printed busy
}

read_only() {
  mount_image disk.img -o ro
  [ "$(cat "$mnt/file")" = data ] || fail "content"
  expect 1 touch "$mnt/new"
  grep -q "Read-only file system" err || fail "$(cat err)"
  expect 0 fsck.betr -n disk.img
  expect 8 fsck.betr -y disk.img
  said "fsck.betr: open: disk.img: in use for reading by pid .* \\(mount.betr\\)"
  unmount_image
}

as_mount_calls_it() {
  [ "$(id -u)" = 0 ] || return 0
  expect 0 mount.betr disk.img "$mnt" -n -s -o rw,noauto,user,_netdev,x-something=1,fsname=name,subtype=,noexec
  grep -q "^name $mnt fuse rw,noexec" /proc/mounts || fail "$(grep "$mnt" /proc/mounts)"
  expect 0 mount.betr name "$mnt" -o remount,ro
  expect 1 touch "$mnt/new"
  expect 0 mount.betr name "$mnt" -o remount,rw
  touch "$mnt/new"
  umount "$mnt"
  free disk.img
}

# options_of: what the table of mounts has for ours.
options_of() { grep " $mnt fuse" /proc/mounts | cut -d ' ' -f 4; }

# Another program mounts then, and takes the mount away when ours is killed: most of the time. It looks once, and leaves
# the mount if the kernel has not finished with ours by then.
left_mounted=0
unmounted_by_itself() { # MORE-OPTIONS WANTED: what root gets
  local tries=0
  mount_image disk.img -o "auto_unmount$1"
  [ "$(id -u)" != 0 ] || [[ $(options_of) == "$2",user_id* ]] || fail "auto_unmount$1: $(options_of)"
  kill -9 $daemon
  wait $daemon 2>/dev/null || true
  while is_mounted; do
    tries=$((tries + 1))
    if [ $tries -gt 50 ]; then
      left_mounted=$((left_mounted + 1))
      fusermount3 -uz "$mnt"
    fi
    sleep 0.1
  done
  daemon=
  free disk.img
}

# While the image is mounted: its last checkpoint to read, its figures to look at.
looked_at() {
  mount_image disk.img
  expect 0 betrcp -i disk.img --stale-ok --cat file
  printed data
  expect 0 betrdump -i disk.img --stale-ok tree meta
  expect 0 betrdump -i disk.img --stale-ok stat
  expect 3 betrdump -i disk.img stat
  expect 2 betrcp -i disk.img --stale-ok --mkdir x
  said "betrcp: --stale-ok: for what only reads an image"
  expect 2 betrdump -i disk.img --stale-ok --replay stat
  echo more >"$mnt/more"
  expect 0 betrdump --mounted "$mnt" stat
  grep -q "^bytes_batches  *[1-9]" out || fail "$(cat out)"
  expect 0 betrdump --mounted "$mnt" --json stat
  grep -q '"schema": "betr.mount"' out || fail "$(cat out)"
  expect 2 betrdump --mounted "$mnt" table
  expect 1 betrdump --mounted . stat
  said "betrdump: stat: .: not on a mounted betr image"
  unmount_image
}

# Whoever looks for those who have an image open does not wait for a mount that nobody answers for.
while_it_hangs() {
  mkfs.betr -q -s 16M other.img
  mount_image disk.img
  exec 8>"$mnt/hanging"
  echo hanging >&8 # whose size and time the kernel does not know now
  kill -STOP $daemon
  python3 - other.img <<'PYTHON' || fail "who reads an image"
import fcntl, re, subprocess, sys
with open(sys.argv[1], "rb") as file:
    fcntl.lockf(file, fcntl.LOCK_SH)
    command = ["betrcp", "-i", sys.argv[1], "--mkdir", "directory"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert re.search(r"in use for reading by pid \d+ \(python", ended.stderr), ended.stderr
PYTHON
  kill -CONT $daemon
  exec 8>&-
  unmount_image
}

refused() {
  expect 1 mount.betr
  expect 1 mount.betr disk.img "$mnt" -o frobnicate
  said "mount.betr: -o frobnicate: unknown option"
  expect 32 mount.betr absent.img "$mnt"
  said "mount.betr: open: absent.img: .*No such file or directory"
  expect 32 mount.betr disk.img absent
  said "mount.betr: mount: absent: No such file or directory"
  head -c 1M /dev/zero >zero.img
  expect 32 mount.betr zero.img "$mnt"
  mkfifo fifo.img # nobody writes to it: to open it would be to wait
  local option image
  for option in rw ro fsname=name; do
    for image in fifo.img /dev/null .; do
      expect 32 timeout 20 mount.betr "$image" "$mnt" -o $option
      said "mount.betr: open: $image: neither a regular file nor a block device"
    done
  done
}

# childless COMMAND...: started by who ignores SIGCHLD, which is handed on.
childless() { timeout 20 bash -c 'trap "" CHLD; exec "$@"' - "$@"; }
for_the_childless() {
  expect 32 childless mount.betr absent.img "$mnt"
  said "mount.betr: open: absent.img: .*No such file or directory"
  expect 0 childless mount.betr disk.img "$mnt"
  expect 32 childless mount.betr disk.img second
  expect 0 childless umount.betr "$mnt"
  silent
}

mkfs.betr -q -s 256M disk.img
as_a_daemon
and_wait
under_another_name
options=fsname=name under_another_name
closed_meanwhile
given_up
by_loop_device
not_permitted
by_signal
while_busy
read_only
as_mount_calls_it
unmounted_by_itself "" rw,noatime
unmounted_by_itself ,nodev rw,nodev,noatime
unmounted_by_itself ,ro,nosuid,noexec,relatime ro,nosuid,noexec,relatime
[ $left_mounted -lt 3 ] || fail "never unmounted by itself"
looked_at
while_it_hangs
refused
for_the_childless
sound disk.img
