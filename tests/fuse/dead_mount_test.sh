#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Mounting again after the program was killed: the dead mount goes, also if the kernel still has its root in the cache,
# and no other mount does, whatever its name.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

# alive: the mount answers; a dead one is in the table, too.
alive() {
  local tries=0
  until [ "$(stat -f -c %T "$mnt" 2>/dev/null)" = fuseblk ]; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || fail "no answer after 30 seconds: $(cat mount.log)"
    sleep 0.1
  done
}

mounts() { grep -c " $1 fuse" /proc/mounts || true; }

# Mounts on top of each other would have to be unmounted one by one.
again_and_again() {
  local round
  for round in 1 2 3; do
    mount_image disk.img
    alive
    [ "$(mounts "$mnt")" = 1 ] || fail "round $round: $(mounts "$mnt") mounts"
    stat "$mnt" >/dev/null
    kill -9 $daemon
    wait $daemon 2>/dev/null || true
  done
  mount_image disk.img
  alive
  expect 0 umount.betr "$mnt"
  [ "$(mounts "$mnt")" = 0 ] || fail "still mounted"
  [ -z "$(ls "$mnt")" ] || fail "something is still there: $(ls "$mnt")"
  ended 0
}

# Killed and not waited for by its parent, a server stays a zombie, as the owner of the image: its mount is forced away.
# That of another image stays, though it has the same name.
others_of_that_name() {
  mkfs.betr -q -s 64M other.img
  mkdir other
  python3 - disk.img "$mnt" other.img "$PWD/other" <<'PYTHON' || fail "the other mount is gone"
import os, subprocess, sys, time

first, first_mount, second, second_mount = sys.argv[1:]


def mount(image, directory):
    server = subprocess.Popen(["mount.betr", "-f", "-o", "fsname=data", image, directory])
    while not any(line.split()[1] == directory for line in open("/proc/self/mounts")):
        assert server.poll() is None, "not mounted"
        time.sleep(0.02)
    return server


def end(server):
    server.terminate()
    assert server.wait() == 0


zombie = mount(first, first_mount)
other = mount(second, second_mount)
with open(f"{second_mount}/file", "w") as file:
    file.write("before")
    file.flush()
    zombie.kill()
    time.sleep(0.3)
    again = subprocess.Popen(["mount.betr", "-f", "-o", "fsname=data", first, first_mount])
    for _ in range(200):
        try:
            is_there = any(line.split()[1] == first_mount for line in open("/proc/self/mounts"))
            os.statvfs(first_mount)  # which asks the server
            if is_there:
                break
        except OSError:
            pass
        time.sleep(0.05)
    else:
        raise SystemExit("the first is not mounted again")
    file.write(" and after")
with open(f"{second_mount}/file") as file:
    assert file.read() == "before and after"
assert other.poll() is None
end(again)
zombie.wait()
end(other)
PYTHON
}

mkfs.betr -q -s 64M disk.img
again_and_again
[ "$(id -u)" != 0 ] || others_of_that_name
