#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Clones by each way, and their removal, beside whoever else wants the lock of their directory: everyone gets on. At the
# end by SIGTERM, while clones are made and pages are dirty, what was written is in the image.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

# Everyone's share has been done long before that; whoever waits for each other waits for ever.
patience=120

by_ioctl() { # <name of clones> <how many>
  local i
  for i in $(seq "$2"); do
    betrcp --clone tree "$1-$i" >/dev/null || return 1
    betrcp --remove "$1-$i" || return 1
  done
}

by_xattr() { # <name of clones> <how many>
  local i
  for i in $(seq "$2"); do
    setfattr -n user.betr.clone -v "$1-$i" tree || return 1
    rm -rf "$1-$i"
  done
}

# Searches for data in a file that has dirty pages, which makes the kernel ask with the file's lock held.
searching() { # <how often>
  python3 - "$1" <<'PYTHON'
import os, sys
fd = os.open("searched", os.O_CREAT | os.O_RDWR)
os.ftruncate(fd, 1 << 20)
for number in range(int(sys.argv[1])):
    os.pwrite(fd, b"data", 4096 * (number % 256))
    assert os.lseek(fd, 0, os.SEEK_DATA) == 0 or number < 256
PYTHON
}

linking() { # <how often>
  python3 - "$1" <<'PYTHON'
import os, sys
for number in range(int(sys.argv[1])):
    os.link("searched", "link")
    os.unlink("link")
PYTHON
}
export -f by_ioctl by_xattr searching linking

everyone_gets_on() {
  mkdir -p tree/sub
  echo content >tree/sub/file
  : >searched
  local share pids=()
  for share in "by_ioctl a 60" "by_ioctl b 60" "by_xattr c 60" "searching 2000" "linking 1000"; do
    # Killed rather than asked to end: who waits for the mount in the kernel does not listen.
    timeout -s KILL $patience bash -c "$share" &
    pids+=($!)
  done
  for share in "${pids[@]}"; do
    wait "$share" || fail "one of those at work beside each other: exit $?"
  done
  rm -r tree searched
}

# Writes to a mapped file and clones until nothing is mounted any more; says when it has begun.
busy() {
  python3 - "$mnt" <<'PYTHON'
import mmap, os, subprocess, sys
os.chdir(sys.argv[1])
fd = os.open("tree/mapped", os.O_CREAT | os.O_RDWR)
os.ftruncate(fd, 1 << 20)
memory = mmap.mmap(fd, 1 << 20)
for page in range(256):
    memory[4096 * page : 4096 * page + 4] = b"page"
print("began", flush=True)
number = 0
while subprocess.run(["betrcp", "--clone", "tree", f"tree-{number}"], stderr=subprocess.DEVNULL).returncode == 0:
    number += 1
PYTHON
}

asked_to_end() { # <signal>
  local tries=0
  mkdir "$mnt/tree"
  rm -f "$work/busy"
  busy >"$work/busy" &
  local worker=$!
  until [ -s "$work/busy" ]; do
    kill -0 $worker 2>/dev/null || fail "the worker ended by itself"
    sleep 0.05
  done
  sleep 0.3
  kill "-$1" $daemon
  until ! kill -0 $daemon 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt $((patience * 10)) ] || fail "still there long after SIG$1"
    sleep 0.1
  done
  wait $worker || true
  ended 0
}

pages_are_there() {
  python3 - "$mnt" <<'PYTHON'
import sys
with open(sys.argv[1] + "/tree/mapped", "rb") as file:
    content = file.read()
assert content == (b"page" + bytes(4092)) * 256, content[:8]
PYTHON
}

command -v setfattr >/dev/null || skip "there is no setfattr"
mkfs.betr -q -s 1G disk.img
for options in cache=64M cache=64M,writeback; do
  mount_image disk.img -o $options
  (cd "$mnt" && everyone_gets_on)
  unmount_image
  sound disk.img
done
for signal in TERM INT; do
  mount_image disk.img -o cache=64M
  asked_to_end $signal
  sound disk.img
  mount_image disk.img
  pages_are_there
  rm -r "${mnt:?}"/*
  unmount_image
done
