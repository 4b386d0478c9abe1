# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts in this folder: what tests/tools/checks.sh offers, and an image mounted on $mnt. Skips where
# nobody can mount.
source "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

skip() {
  echo "skipped: $*"
  exit 77
}

[ -x "$BETR_BIN_DIR/mount.betr" ] || skip "mount.betr was not built: libfuse3 is missing"
[ -e /dev/fuse ] || skip "there is no /dev/fuse"
{ : <>/dev/fuse; } 2>/dev/null || skip "/dev/fuse may not be opened"
command -v fusermount3 >/dev/null || skip "there is no fusermount3"

mnt=$work/mnt
mkdir "$mnt"
trap 'fusermount3 -qzu "$mnt" 2>/dev/null || true; kill -9 ${daemon-} 2>/dev/null || true; rm -rf "$work"' EXIT

is_mounted() { grep -q " $mnt fuse" /proc/mounts; }

# mount_image IMAGE [OPTION...]: in the foreground of a process of ours, $daemon. BETR_MOUNT_OPTIONS: more for -o.
mount_image() {
  local image=$1 tries=0
  shift
  [ -z "${BETR_MOUNT_OPTIONS-}" ] || set -- "$@" -o "$BETR_MOUNT_OPTIONS"
  mount.betr -f "$image" "$mnt" "$@" >mount.log 2>&1 &
  daemon=$!
  until is_mounted; do
    kill -0 $daemon 2>/dev/null || {
      grep -q "the kernel refuses\|Operation not permitted" mount.log && skip "mounting is not permitted here"
      fail "mount.betr: $(cat mount.log)"
    }
    tries=$((tries + 1))
    [ $tries -lt 300 ] || fail "not mounted after 30 seconds: $(cat mount.log)"
    sleep 0.1
  done
}

# ended CODE: the daemon ends by itself, with this exit code, and nothing is mounted.
ended() {
  local code=0
  wait $daemon || code=$?
  [ $code = "$1" ] || fail "mount.betr: exit $code, not $1: $(cat mount.log)"
  is_mounted && fail "still mounted"
  daemon=
}

# The clean end. What it said goes to mount.log.
unmount_image() {
  local tries=0
  # Whoever asks each mount what image it is of, as mkfs.betr does, has it open for a moment.
  until fusermount3 -u "$mnt" 2>"$work/unmount.err"; do
    tries=$((tries + 1))
    grep -q "Device or resource busy" "$work/unmount.err" && [ $tries -lt 50 ] ||
      fail "fusermount3: $(cat "$work/unmount.err")"
    sleep 0.1
  done
  ended 0
}

# sound IMAGE: nothing is wrong with it, in depth.
sound() {
  fsck.betr -n -q "$1" >fsck.out 2>&1 || fail "fsck.betr: $(cat fsck.out)"
}
