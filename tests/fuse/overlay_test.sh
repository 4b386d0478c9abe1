#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A mount as the upper layer of an overlay: what changes above a directory of the host is in the image, with whiteouts
# where a name of the host's is gone, and is there again after a remount.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

[ "$(id -u)" = 0 ] || skip "only root can mount an overlay"
merged=$work/merged
trap 'umount "$merged" 2>/dev/null || true; fusermount3 -qzu "$mnt" 2>/dev/null || true; rm -rf "$work"' EXIT

overlay() {
  mount -t overlay overlay -o "lowerdir=$work/lower,upperdir=$mnt/upper,workdir=$mnt/work" "$merged" 2>mount.err
}

is_whiteout() { [ "$(stat -c '%F %t:%T %a' "$1")" = "character special file 0:0 0" ]; }

# seen: what the overlay must show after the changes.
seen() {
  [ "$(cd "$merged" && find . -mindepth 1 | sort | tr '\n' ' ')" = "./directory ./directory/new ./kept ./moved " ] ||
    fail "the overlay shows: $(find "$merged")"
  [ "$(cat "$merged/moved")" = changed ] || fail "another content"
}

mkdir -p lower/directory lower/removed "$merged"
echo of the host >lower/file
echo of the host >lower/kept
echo of the host >lower/directory/below
mkfs.betr -q -s 256M disk.img
mount_image disk.img
mkdir "$mnt/upper" "$mnt/work"
overlay || skip "no overlay can be mounted: $(cat mount.err)"
echo changed >"$merged/file"
mv "$merged/file" "$merged/moved"
rm -r "$merged/directory" "$merged/removed"
mkdir "$merged/directory"
echo new >"$merged/directory/new"
seen
umount "$merged"
is_whiteout "$mnt/upper/file" || fail "a renamed file left no whiteout: $(stat "$mnt/upper/file")"
is_whiteout "$mnt/upper/removed" || fail "a removed directory left no whiteout"
unmount_image
sound disk.img
mount_image disk.img
overlay || fail "the overlay cannot be mounted again: $(cat mount.err)"
seen
umount "$merged"
unmount_image
[ "$(cat lower/file lower/directory/below)" = "$(printf 'of the host\nof the host')" ] || fail "the host changed"
