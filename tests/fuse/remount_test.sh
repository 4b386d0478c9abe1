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

# What it cannot do is refused, but for what the mount has anyway: mount(8) repeats what fstab and the table of mounts
# have.
keeps_its_options() {
  local options option
  local many=commit=7,cache=64M,threads=3,noacl,relatime,writeback,sync,dirsync,experiment=eager-gotos,nosuid
  for options in noatime $many; do
    mount_image disk.img -o "$options"
    for option in commit=8 cache=1G threads=4 look=1 noxattr noallow_other experiment=split-by-size syslog \
      auto_unmount fsname=other subtype=other; do
      expect 32 mount.betr disk.img "$mnt" -o "remount,ro,$option"
      said "mount.betr: remount: $mnt: -o $option: needs a new mount"
    done
    touch "$mnt/writable"
    for option in ro rw; do
      expect 0 mount.betr disk.img "$mnt" -o "$options,$(options_of),remount,$option"
      silent
      [[ $(options_of) == "$option",* ]] || fail "$(options_of)"
    done
    case $options in *sync*) [[ $(options_of) == *,sync,* ]] || fail "no longer synchronous: $(options_of)" ;; esac
    unmount_image
  done
  mount_image disk.img
  expect 32 mount.betr disk.img "$mnt" -o remount,relatime
  expect 0 mount.betr disk.img "$mnt" -o remount,commit=5,noatime,noexec
  [[ $(options_of) == rw,noexec,noatime,* ]] || fail "$(options_of)"
  expect 0 betrdump --mounted "$mnt" --json stat
  grep -q '"commit": "5"' out || fail "$(cat out)"
  unmount_image
}

options_of() { grep " $mnt fuse" /proc/mounts | cut -d ' ' -f 4; }

# mount(8) as it calls us, where our programs can be put in front of those that are installed.
by_mount_8() {
  mkdir -p helpers
  ln -sf "$BETR_BIN_DIR/mount.betr" helpers/mount.betr
  ln -sf "$BETR_BIN_DIR/mount.betr" helpers/mount.fuse.betr
  unshare -m bash -e -s "$work/helpers" "$PWD/disk.img" "$mnt" <<'SHELL' >out 2>&1 || fail "by mount(8): $(cat out)"
sbin=$(realpath /sbin)
mount -t overlay none -o "lowerdir=$1:$sbin" "$sbin" 2>/dev/null || { echo "no overlay here" && exit 0; }
echo "$2 $3 betr noauto,user,suid,commit=9,relatime 0 0" >"$1/fstab"
mount -T "$1/fstab" "$3"
for option in ro rw ro,noexec rw,exec; do
  mount -T "$1/fstab" -o "remount,$option" "$3"
  mount -o "remount,$option" "$3"
  grep -q " $3 fuse.betr ${option%,*}," /proc/mounts
done
for option in cache=1G commit=8; do
  ! mount -o "remount,$option" "$3" 2>&1 || exit 1
done
umount -i "$3"
SHELL
  [ "$(cat out)" = "no overlay here" ] || [ "$(grep -c "needs a new mount" out)" = 2 ] || fail "$(cat out)"
  until fsck.betr -n -q disk.img 2>/dev/null; do sleep 0.1; done
}

not_mounted() {
  local options
  for options in ro rw; do
    expect 32 mount.betr disk.img "$mnt" -o remount,$options
    said "mount.betr: remount: $mnt: not mounted"
    expect 32 mount.betr disk.img /proc -o remount,$options
    said "mount.betr: remount: /proc: not a mount of betr, but of type proc"
    expect 32 mount.betr disk.img absent -o remount,$options
    said "mount.betr: remount: absent: not mounted"
  done
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
keeps_its_options
by_mount_8
not_mounted
sound disk.img
