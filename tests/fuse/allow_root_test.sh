#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -o allow_root: nobody but the mounter and root gets anything, whatever he asks.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

[ "$(id -u)" = 0 ] || skip "only root can be somebody else"
chmod 755 "$work"
mkfs.betr -q -s 256M disk.img
for options in noxattr noacl acl; do
  mount_image disk.img -o allow_root,$options
  echo secret >"$mnt/file"
  chmod 4777 "$mnt/file"
  chmod 1777 "$mnt"
  python3 - "$mnt" <<'PYTHON' || fail "-o allow_root,$options"
import ctypes, errno, os, sys

directory = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, AT_STATX_FORCE_SYNC, BASIC_AND_BIRTH = -100, 0x2000, 0xFFF


def statx(path):
    if libc.statx(AT_FDCWD, path.encode(), AT_STATX_FORCE_SYNC, BASIC_AND_BIRTH, ctypes.create_string_buffer(256)) != 0:
        raise OSError(ctypes.get_errno(), path)


file = os.path.join(directory, "file")
given = os.open(file, os.O_RDWR)
asked = {
    "statx of the root": lambda: statx(directory),
    "statx of a file": lambda: statx(file),
    "tmpfile": lambda: os.open(directory, os.O_TMPFILE | os.O_RDWR, 0o600),
    "open": lambda: os.open(file, os.O_RDONLY),
    "open to write": lambda: os.open(file, os.O_WRONLY),
    "truncate": lambda: os.truncate(file, 0),
    "create": lambda: os.open(os.path.join(directory, "new"), os.O_CREAT | os.O_RDWR),
}
asked["statx of a file"]()
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
for what, ask in asked.items():
    try:
        ask()
    except OSError as error:
        assert error.errno == errno.EACCES, (what, error)
    else:
        raise SystemExit(f"{what}: a stranger may")
# What the mounter has opened and handed on is good.
assert os.pread(given, 6, 0) == b"secret"
PYTHON
  [ "$(stat -c %a "$mnt/file")" = 4777 ] || fail "a stranger took the set-id bit: $(stat -c %a "$mnt/file")"
  unmount_image
  sound disk.img
done
