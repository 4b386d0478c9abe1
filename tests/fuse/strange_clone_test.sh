#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Somebody moves a file of root's, which lies in a directory of his, into a tree while that is walked to see whether he
# may clone it: no clone has it.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

[ "$(id -u)" = 0 ] || skip "only root becomes somebody else"
chmod 755 "$work"
mkfs.betr -q -s 256M disk.img
mount_image disk.img -o cache=64M,allow_other
python3 - "$mnt" "$BETR_BIN_DIR/betrcp" <<'PYTHON' || fail "a clone has a file of somebody else's"
import itertools, os, subprocess, sys, time

directory, betrcp = sys.argv[1:]
os.chdir(directory)
os.makedirs("home/tree")
for number in range(4000):
    os.makedirs(f"home/tree/{number}")
subprocess.run(["chown", "-R", "1000:1000", "home"], check=True)
os.chdir("home")
os.close(os.open("strange", os.O_CREAT))
os.chmod("strange", 0o4711)


def become():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)


def begin(name):
    return subprocess.Popen([betrcp, "--clone", "tree", name], preexec_fn=become, stderr=subprocess.DEVNULL)


begun = time.monotonic()
assert begin("first").wait() == 0
duration = time.monotonic() - begun
os.rename("strange", "tree/strange")
assert begin("none").wait() != 0, "a clone of a tree that has it"
os.rename("tree/strange", "strange")
made = 0
for number in itertools.count():
    # Until some come late enough that there is a clone to look at.
    if number >= 40 and made > 0:
        break
    assert number < 400, "no clone was made"
    clone = begin(f"clone-{number}")
    time.sleep(duration * number / 40)
    os.rename("strange", "tree/strange")
    made += clone.wait() == 0
    assert not os.path.exists(f"clone-{number}/strange"), number
    os.rename("tree/strange", "strange")
PYTHON
unmount_image
sound disk.img
