#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A copy by copy_file_range for which there is no space says how far it came, and that much of it is right.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

mkfs.betr -q -s 32M --node-size 64K --basement-size 4K --compress none disk.img
mount_image disk.img -o cache=8M
python3 - "$mnt" <<'PYTHON' || fail "a copy that does not fit"
import errno, os, sys

os.chdir(sys.argv[1])
piece = 1 << 20
target_at = 1000  # no multiple of a block: nothing is shared


def copy_until_full(source, target, size):
    done = 0
    while done < size:
        try:
            copied = os.copy_file_range(source, target, size - done, done, target_at + done)
        except OSError as error:
            assert error.errno == errno.ENOSPC, error
            return done
        assert 0 < copied <= size - done, copied
        done += copied
    return done


content = os.urandom(6 * piece)
with open("source", "wb") as file:
    file.write(content)
    os.fsync(file.fileno())
source = os.open("source", os.O_RDONLY)
for number in range(64):
    target = os.open(f"copy-{number}", os.O_CREAT | os.O_RDWR)
    done = copy_until_full(source, target, len(content))
    size = os.fstat(target).st_size
    assert size == (target_at + done if done > 0 else 0), (size, done)
    os.lseek(target, 0, os.SEEK_SET)
    got = b"".join(iter(lambda: os.read(target, piece), b""))
    assert got == (bytes(target_at) + content[:done] if done > 0 else b""), number
    os.close(target)
    if done < len(content):
        break
else:
    raise SystemExit("it is never full")
assert number > 0, "full before anything was copied"
PYTHON
rm "$mnt"/copy-*
echo again >"$mnt/after"
unmount_image
sound disk.img
