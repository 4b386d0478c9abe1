#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp --du on a mount, and the ioctl behind it.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

mkfs.betr -q -s 64M disk.img
mount_image disk.img
mkdir -p "$mnt/tree/sub"
head -c 6000000 /dev/urandom >"$mnt/tree/a"
head -c 4000000 /dev/urandom >"$mnt/tree/sub/b"
mkfifo "$mnt/tree/fifo"
betrcp --clone "$mnt/tree" "$mnt/copy"

exclusive() { # <path>...: of the last of them
  betrcp --du --json "$@" | python3 -c 'import json, sys; print(json.load(sys.stdin)["entries"][-1]["exclusive"])'
}

tells_what_was_just_written() {
  local size='(9\.[5-9][0-9]*|10(\.[01][0-9]*)?) MiB'
  expect 0 betrcp --du "$mnt/tree" "$mnt/copy"
  printed " *$size  .*  $mnt/tree"
  printed " *$size +$size  \(together\)"
  [ "$(exclusive "$mnt/copy")" -lt 500000 ] || fail "a clone has $(exclusive "$mnt/copy") bytes of its own"
  head -c 6000000 /dev/urandom >"$mnt/copy/a"
  [ "$(exclusive "$mnt/copy")" -gt 5900000 ] || fail "a changed clone has $(exclusive "$mnt/copy") bytes of its own"
  [ "$(exclusive "$mnt/tree/sub/b" "$mnt/copy/a")" -gt 5900000 ] || fail "a changed file"
  expect 0 betrcp --du -l "$mnt/tree"
  [ "$(awk 'NR > 1 {print $NF}' out | paste -sd' ')" = "$mnt/tree/a $mnt/tree/sub $mnt/tree" ] || fail "-l: $(cat out)"
}

knows_mistakes() {
  expect 1 betrcp --du "$mnt/absent" "$mnt/tree"
  said "betrcp: du: $mnt/absent: No such file or directory"
  printed ".*  $mnt/tree"
  expect 1 betrcp --du "$PWD"
  said "betrcp: du: $PWD: not on a mounted betr image, and no image was named \(-i\)"
  python3 - "$mnt" <<'PYTHON' || fail "the ioctl"
import errno, fcntl, os, struct, sys

FOOTPRINT = 0xC820BE08
mount = os.open(sys.argv[1], os.O_RDONLY)
source = struct.unpack("Q", fcntl.ioctl(mount, 0x8008BE01, bytes(8)))[0]

def error_of(count, sources, flags=0):
    sources = sources + [0] * (256 - len(sources))
    try:
        fcntl.ioctl(mount, FOOTPRINT, bytearray(struct.pack("IIQQQ256Q", flags, 0, count, 0, 0, *sources)))
    except OSError as error:
        return error.errno

assert error_of(1, [source]) is None
assert error_of(2, [source, source]) is None
assert error_of(0, []) == errno.EINVAL
assert error_of(257, [source]) == errno.EINVAL
assert error_of(2**64 - 1, [source]) == errno.EINVAL
assert error_of(1, [source], flags=1) == errno.EINVAL
assert error_of(2, [source, 12345]) == errno.EBADF
PYTHON
}

tells_what_was_just_written
knows_mistakes
unmount_image
mount_image disk.img -o ro
expect 0 betrcp --du "$mnt/tree"
unmount_image
sound disk.img
