#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program is killed while it has the kernel write back a mapped file for a clone, or invalidate a name in a busy
# directory: then it cannot end before its mount. The next mount of the image takes all of that away by itself.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

[ "$(id -u)" = 0 ] || skip "only root may force a mount away"

# Changes pages of a mapped file until the mount goes away.
mapped_writer() {
  exec python3 - "$mnt/source/mapped" <<'PYTHON'
import mmap, os, sys
size = 16 << 20
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
os.ftruncate(fd, size)
pages = mmap.mmap(fd, size)
number = 0
while True:
    pages[number * 4096 % size] = number & 255
    number += 1
PYTHON
}

cloner() {
  local number=0
  while betrcp --clone "$mnt/source" "$mnt/clone-$number"; do number=$((number + 1)); done
}

namer() {
  while mkdir "$mnt/name" && rmdir "$mnt/name"; do :; done
}

mkfs.betr -q -s 512M disk.img
mkdir "$work/elsewhere"
could_not_end=0
for round in 1 2 3 4; do
  directory=$mnt
  [ $round != 4 ] || directory=$work/elsewhere # a mount of the image is taken away wherever it is
  mount.betr disk.img "$directory" -o cache=64M || fail "round $round: not mounted"
  [ $round = 1 ] || [ "$(cat "$directory/kept")" = $((round - 1)) ] || fail "round $round: what was synced is not there"
  rm -rf "$directory"/clone-*
  mkdir -p "$directory/source"
  echo $round >"$directory/kept"
  sync "$directory/kept"
  [ $round != 4 ] || break
  daemon=$(pgrep -xf "mount.betr disk.img $mnt -o cache=64M")
  mapped_writer >/dev/null 2>&1 &
  writing=$!
  cloner >/dev/null 2>&1 &
  cloning=$!
  namer >/dev/null 2>&1 &
  naming=$!
  until [ -d "$mnt/clone-3" ]; do sleep 0.05; done
  kill -9 "$daemon"
  sleep 0.3
  ! grep -q "^State:.*Z" "/proc/$daemon/status" 2>/dev/null || could_not_end=$((could_not_end + 1))
  [ $round != 2 ] || umount.betr -f -l "$mnt" || fail "not forced away"
  kill $writing $cloning $naming 2>/dev/null || true
done
wait $writing $cloning $naming || true # they end, as their mount has
echo "killed 3 times, $could_not_end times it could not end"
grep -q " $mnt fuse" /proc/mounts && fail "the dead mount is still there"
umount.betr "$work/elsewhere"
daemon=
sound disk.img
