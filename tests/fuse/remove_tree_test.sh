#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whole trees removed at once through a mount: who may, what is refused, and that neither the kernel nor the image has
# anything of them afterwards.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

PYTHONPATH=$BETR_SOURCE_DIR/tests/fuse
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

# Runs the functions of remove_tree.py.
checked() { # <function>...
  local name
  for name in "$@"; do
    python3 -c "import remove_tree; remove_tree.$name()" >"$work/said" 2>&1 || fail "$name: $(cat "$work/said")"
  done
}

by_betrcp() {
  mkdir -p tree/sub other target/kept
  echo content | tee tree/sub/file other/file >target/kept/file
  ln -s target link
  ln -s "$PWD" "$outside/way"
  expect 0 betrcp --remove tree other/file "$outside/way/other"
  [ ! -s out ] && silent || fail "a removal prints"
  [ "$(ls)" = "$(printf '%s\n' err link out target)" ] || fail "left: $(ls)"
  expect 1 betrcp --remove link/ target/kept/file/ link/absent nothing target/./ target/kept/..
  said "betrcp: remove: link/: Not a directory"
  said "betrcp: remove: target/kept/file/: Not a directory"
  said "betrcp: remove: link/absent: No such file or directory"
  said "betrcp: remove: nothing: No such file or directory"
  said "betrcp: remove: target/./: '.' and '..' are not removed"
  said "betrcp: remove: target/kept/..: '.' and '..' are not removed"
  expect 1 betrcp --remove "$(printf '%0256d' 0)"
  # Of several, those that can be.
  mkdir more
  expect 1 betrcp --remove nothing more
  [ ! -e more ] || fail "more is left"
  expect 0 betrcp --remove link
  [ -e target/kept/file ] || fail "what a link led to is gone"
  expect 0 betrcp --remove target/
  rm out err
}

# What is of another file system stays.
by_betrcp_elsewhere() {
  mkdir -p host/tree mnt/tree
  echo content >host/tree/file
  ln -s ../host mnt/host
  expect 1 betrcp --remove host host/tree mnt/host/tree host/tree/file
  [ -e host/tree/file ] || fail "a file of the host is gone"
  said "betrcp: remove: host: not on a mounted betr image, and no image was named \(-i\)"
  said "betrcp: remove: mnt/host/tree: not on a mounted betr image, and no image was named \(-i\)"
  expect 1 betrcp --remove mnt
  said "betrcp: remove: mnt: something is mounted there: Device or resource busy"
  expect 1 betrcp --remove /
  said "betrcp: remove: /: not on a mounted betr image, and no image was named \(-i\)"
  expect 1 betrcp --remove mnt/
  [ -d mnt/tree ] || fail "the root was removed"
  expect 0 betrcp --remove mnt/tree mnt/host
  [ -e host/tree/file ] || fail "a file of the host is gone"
}

read_only_mounts() {
  mount_image disk.img
  mkdir -p mnt/tree/0
  printf content >mnt/tree/0/file
  if [ "$(id -u)" = 0 ]; then
    expect 0 mount.betr disk.img "$mnt" -o remount,ro
    (cd mnt && checked read_only)
  fi
  unmount_image
  mount_image disk.img -o ro
  (cd mnt && checked read_only)
  unmount_image
}

tests=(everything_goes bad_arguments links_outside open_files mapped_pages working_directory names_are_forgotten
  beside_others the_clone_stays costs)
[ "$(id -u)" != 0 ] || tests+=(rights_of_an_owner rights_to_the_name mounts_are_in_the_way
  mounted_elsewhere)

chmod 755 "$work"
mkfs.betr -q -s 1G disk.img
for options in cache=64M cache=64M,writeback; do
  mount_image disk.img -o $options
  (cd mnt && checked "${tests[@]}")
  (cd mnt && checked make_links)
  unmount_image
  [ ! -s mount.log ] || fail "removals in use are no errors: $(cat mount.log)"
  mount_image disk.img -o $options
  (cd mnt && checked links_known_outside_only)
  mkdir -p outside
  (outside=$work/outside work=$work/mnt && cd mnt && by_betrcp)
  rm outside/way
  by_betrcp_elsewhere
  [ -z "$(ls -A mnt)" ] || fail "left: $(ls -A mnt)"
  unmount_image
  sound disk.img
done
read_only_mounts
