#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program is killed under load, again and again: the image mounts by itself, everything that was synced is there,
# and it is sound. BETR_KILLS says how often.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

# Writes files until the mount goes away; prints the names of those that were synced, each with its content's number.
writer() {
  python3 - "$mnt" "$1" <<'PYTHON'
import os, sys
directory, round_ = sys.argv[1:]
try:
    for number in range(1 << 30):
        name = f"{round_}-{number}"
        fd = os.open(f"{directory}/d{number % 7}/{name}.new", os.O_CREAT | os.O_WRONLY)
        os.write(fd, (name * (number % 900 + 1)).encode())
        os.fsync(fd)
        os.close(fd)
        os.rename(f"{directory}/d{number % 7}/{name}.new", f"{directory}/d{number % 7}/{name}")
        os.fsync(os.open(directory, os.O_RDONLY)) if number % 3 == 0 else None
        print(name, number, number % 3, flush=True)
except OSError:
    pass
PYTHON
}

# Whoever changes things without a sync. Not at the top: once nothing is mounted there, that would go on on the host.
noise() {
  local place=$mnt/d0/noise
  while mkdir "$place" && cp -r /usr/include/linux "$place/" && mv "$place/linux" "$place/moved" && rm -rf "$place"; do
    :
  done
}

# check LOG: what it names is there.
check() {
  python3 - "$mnt" "$1" <<'PYTHON'
import os, sys
directory, log = sys.argv[1:]
for line in open(log):
    name, number, phase = line.split()
    path = f"{directory}/d{int(number) % 7}/{name}"
    # The rename after the last sync may be lost, the content may not.
    if not os.path.exists(path) and phase != "0":
        path += ".new"
    with open(path) as file:
        assert file.read() == name * (int(number) % 900 + 1), path
PYTHON
}

mkfs.betr -q -s 1G disk.img
mount_image disk.img -o cache=64M
mkdir "$mnt"/d{0..6}
sync "$mnt/d0"
for round in $(seq "${BETR_KILLS:-4}"); do
  writer "$round" >>synced 2>/dev/null &
  writing=$!
  noise >/dev/null 2>&1 &
  making=$!
  for _ in {1..200}; do
    ! grep -q "^$round-" synced || break # something is there to be lost
    sleep 0.05
  done
  sleep 0.$((RANDOM % 10))
  kill -9 $daemon
  wait $daemon 2>/dev/null || true
  fusermount3 -qzu "$mnt"
  wait $writing $making || true
  expect 0 fsck.betr -p -f -q disk.img
  mount_image disk.img -o cache=64M
  tail -n 1000 synced >latest
  check latest || fail "round $round"
  rm -rf "$mnt/d0/noise"
done
[ -s synced ] || fail "nothing was synced"
check synced || fail "in the end"
unmount_image
sound disk.img
