#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a full image, below a default access list that takes space, a file that could not be made is not there.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

mkfs.betr -q -s 64M disk.img
mount_image disk.img -o cache=32M
python3 - "$mnt" <<'PYTHON' || fail "what could not be made is there"
import os, struct, sys

directory = sys.argv[1]
kNobody = 0xFFFFFFFF
others = [(tag, 7, kNobody) for tag in (1, 4, 16, 32)]
entries = others[:1] + [(2, 7, 1000 + user) for user in range(400)] + others[1:]
access_list = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
os.setxattr(directory, "system.posix_acl_default", access_list)
with open(f"{directory}/fill", "wb", buffering=0) as file:
    for size in 1 << 20, 4096:
        try:
            while True:
                file.write(os.urandom(size))
        except OSError:
            pass

made = set(os.listdir(directory))
refused = 0
for number in range(100000):
    name = f"{number:06}{'n' * 200}"
    try:
        if number % 2 == 0:
            os.close(os.open(f"{directory}/{name}", os.O_CREAT | os.O_WRONLY, 0o666))
        else:
            os.mkdir(f"{directory}/{name}")
        made.add(name)
    except OSError:
        refused += 1
    if refused == 50:
        break
assert refused == 50, refused
assert set(os.listdir(directory)) == made
for name in made:
    os.stat(f"{directory}/{name}")
PYTHON
unmount_image
sound disk.img
