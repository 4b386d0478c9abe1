#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp: permissions and access control lists of what a copy finds at its destination, and of what it makes there.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 16M disk.img
umask 022

# has_mode PATH WANTED
has_mode() {
  [ "$(stat -c %a "$1")" = "$2" ] || fail "$1: mode $(stat -c %a "$1"), not $2"
}

# As cp -r: what is there keeps its permissions, both ways.
keeps_modes_without_a() {
  mkdir -p src/sub
  echo x >src/f
  expect 0 betrcp -r src :/
  local mode
  for mode in 1777 700 2775; do
    mkdir "d-$mode"
    chmod "$mode" "d-$mode"
    cp -r "d-$mode" "cp-$mode"
    chmod "$mode" "cp-$mode"
    expect 0 betrcp -r :/src/. "d-$mode"
    cp -r src/. "cp-$mode"
    diff <(cd "cp-$mode" && find . -printf '%m %p\n' | sort) <(cd "d-$mode" && find . -printf '%m %p\n' | sort) ||
      fail "modes differ from those of cp -r in a directory with mode $mode"
    has_mode "d-$mode" "$mode"
    expect 0 betrcp -a "d-$mode" :/
    expect 0 betrcp -rT src ":/d-$mode"
    expect 0 betrcp -a ":/d-$mode" "back-$mode"
    has_mode "back-$mode" "$mode"
  done
  mkdir root
  chmod 1777 root
  expect 0 betrcp -r :/ root
  has_mode root 1777
  # With -a they are those of the source.
  expect 0 betrcp -a :/src/. root
  has_mode root 755
}

acls() { # <directory>: all lists in it, as text
  (cd "$1" && find . ! -type l | sort | xargs getfacl -n)
}

# As cp -a: who has no list in the source has none in the copy.
leaves_no_lists_of_others() {
  command -v setfacl >/dev/null && setfacl -m u:1234:r src 2>err || return 0
  setfacl -b src
  rm -r src
  mkdir -m 750 src src/sub src/listed
  echo secret >src/f
  chmod 640 src/f
  ln -s f src/link
  mkfifo -m 640 src/pipe
  echo more >src/g
  setfacl -m u:4321:r src/g
  setfacl -m u:4321:rx src/listed
  setfacl -d -m u:4321:rw src/listed
  betrcp -a src :/lists
  # The destination gives a list to what is made in it; or has had one for long.
  mkdir given cp-given
  setfacl -d -m u:1234:rwx,o::rwx given cp-given
  mkdir -p had/lists/sub cp-had/lists/sub
  setfacl -m u:1234:rwx,g::--- had/lists had/lists/sub cp-had/lists cp-had/lists/sub
  setfacl -d -m u:1234:rwx had/lists had/lists/sub cp-had/lists cp-had/lists/sub
  local place
  for place in given had; do
    expect 0 betrcp -a :/lists "$place"
    cp -a src/. "cp-$place/lists"
    diff <(acls "cp-$place") <(acls "$place") || fail "lists differ from those of cp -a"
    has_mode "$place/lists/f" 640
    has_mode "$place/lists/sub" 750
  done
  ! getfacl -n given/lists/f had/lists given/lists/pipe | grep 1234 || fail "a list of somebody else's"
  # Into the image.
  expect 0 betrcp -a cp-had :/had
  setfacl -R -m u:1234:rwx cp-had
  setfacl -R -d -m u:1234:rwx cp-had
  expect 0 betrcp -a cp-had :/into
  expect 0 betrcp -aT src :/into/lists
  expect 0 betrcp -a :/into/lists into
  diff <(acls src) <(acls into) || fail "lists stay in the image"
  # From archives.
  tar --acls -C src -cf src.tar .
  expect 0 betrcp -a cp-had :/unpacked
  expect 0 betrcp --tar src.tar :/unpacked/lists
  expect 0 betrcp -a :/unpacked/lists unpacked
  diff <(acls src) <(acls unpacked) || fail "lists stay under an archive's"
}

# Where the host has no lists the group bits, which were the mask, would give the group what its list denies it.
gives_no_group_more_without_lists() {
  command -v setfacl >/dev/null && [ "$(id -u)" = 0 ] || return 0
  mkdir plain
  mount -t ramfs ramfs plain 2>/dev/null || return 0
  trap 'umount "$work/plain"; rm -rf "$work"' EXIT
  mkdir masked
  setfacl -m u:1234:rwx,g::r-x,o::--- masked
  echo secret >masked/f
  setfacl -m u::rw,u:1234:rwx,g::---,o::--- masked/f
  chmod 2770 masked
  expect 0 betrcp -a masked :/
  expect 0 betrcp -a :/masked plain
  has_mode plain/masked 2750
  has_mode plain/masked/f 600
}

# Few hosts keep what an image can: what they refuse is told of, and the rest is copied.
goes_on_without_what_is_too_large() {
  mkdir large
  local code=0
  touch probe
  setfattr -n user.a -v a probe 2>/dev/null || return 0
  setfattr -n user.large -v "$(printf '%060000d' 0)" probe 2>/dev/null || code=1
  python3 - <<'PYTHON'
import tarfile
with tarfile.open("large.tar", "w", format=tarfile.PAX_FORMAT) as archive:
    for name in "a", "b":
        entry = tarfile.TarInfo(name)
        entry.mode = 0o640
        entry.pax_headers = {"SCHILY.xattr.user.large": "0" * 60000, "SCHILY.xattr.user.small": "0"}
        archive.addfile(entry)
PYTHON
  expect 0 betrcp --tar large.tar :/large
  expect "$code" betrcp -a :/large/. large
  [ "$code" = 0 ] || said "betrcp: export: /large/a: without user.large: large/a: setxattr: .*"
  has_mode large/a 640
  [ "$(getfattr --only-values -n user.small large/a large/b)" = 00 ] || fail "attributes are missing"
}

# becomes_a_user: sets `as` to what runs a command as one who is not root, in `theirs`, which is that user's.
becomes_a_user() {
  as=()
  mkdir -p theirs
  [ "$(id -u)" = 0 ] || return 0
  command -v setpriv >/dev/null || return 1
  as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  chmod 711 "$work"
  chmod 666 disk.img
  chown 65534:65534 theirs
}

# The list of a file may deny its owner what setting other attributes needs; so may one that the copy has from before.
sets_attributes_before_lists() {
  becomes_a_user || return 0
  mkdir -p noted/directory
  touch noted/file noted/plain
  setfattr -n user.note -v 1 noted/file noted/plain noted/directory 2>err || return 0
  setfacl -m u:1234:r noted/file noted/directory 2>err || return 0
  chmod 444 noted/file noted/plain
  chmod 555 noted/directory
  [ "$(id -u)" != 0 ] || chown -R 65534:65534 noted
  expect 0 betrcp -a noted :/
  mkdir theirs/given
  setfacl -d -m u:1234:rwx theirs/given
  [ "$(id -u)" != 0 ] || chown 65534:65534 theirs/given
  local place
  for place in theirs theirs/given; do
    expect 0 "${as[@]}" betrcp -a :/noted "$place"
    diff <(acls noted) <(acls "$place/noted") || fail "lists"
    [ "$(cd "$place/noted" && getfattr --only-values -n user.note file plain directory)" = 111 ] || fail "attributes"
    expect 0 "${as[@]}" betrcp -auT :/noted "$place/noted"
  done
}

# What is made may deny its owner to enter, by umask(2) or a default list, until it gets its own permissions.
fills_directories_that_deny_their_owner() {
  becomes_a_user || return 0
  mkdir -p deep/a/b
  echo x >deep/a/b/file
  [ "$(id -u)" != 0 ] || chown -R 65534:65534 deep
  expect 0 betrcp -a deep :/
  (
    umask 0777
    touch out err
    expect 0 "${as[@]}" betrcp -a :/deep theirs
    expect 0 "${as[@]}" betrcp -rT :/deep theirs/plain
  )
  diff <(attributes deep) <(attributes theirs/deep) || fail "attributes"
  has_mode theirs/plain/a/b 0
  "${as[@]}" chmod -R u+rwx theirs/plain
  same_tree deep theirs/plain
  setfacl -d -m u::r-x,g::r-x,o::r-x deep/a 2>err || return 0
  expect 0 betrcp -auT deep :/deep
  expect 0 "${as[@]}" betrcp -auT :/deep theirs/deep
  mkdir -p deep/a/new/er
  chmod 755 deep/a/new deep/a/new/er
  echo new | tee deep/a/new/file >deep/a/new/er/file
  [ "$(id -u)" != 0 ] || chown -R 65534:65534 deep
  expect 0 betrcp -auT deep :/deep
  expect 0 "${as[@]}" betrcp -auT --delete :/deep theirs/deep
  same_tree deep theirs/deep
  diff <(acls deep) <(acls theirs/deep) || fail "lists"
}

# Also where their values are not for the owner to read.
removes_attributes_that_are_denied() {
  becomes_a_user || return 0
  mkdir closed
  touch closed/file
  setfattr -n user.old -v 1 closed closed/file 2>err || return 0
  chmod 0 closed/file closed
  [ "$(id -u)" != 0 ] || chown -R 65534:65534 closed
  expect 0 betrcp -a closed :/
  expect 0 "${as[@]}" betrcp -a :/closed theirs
  [ "$(getfattr --only-values -n user.old theirs/closed theirs/closed/file)" = 11 ] || fail "attributes are missing"
  setfattr -x user.old closed/file
  setfattr -x user.old closed
  expect 0 betrcp -auT closed :/closed
  expect 0 "${as[@]}" betrcp -auT :/closed theirs/closed
  [ -z "$(getfattr -d theirs/closed theirs/closed/file)" ] || fail "attributes that the original has lost"
  diff <(attributes closed) <(attributes theirs/closed) || fail "other attributes"
}

# Without -a there are no lists, and nobody has what only a mask allows, or a default list of the destination.
drops_lists_without_a() {
  setfacl -m u:1234:r src 2>err || return 0
  setfacl -b src
  mkdir drop drop/sub
  echo secret | tee drop/file >drop/sub/file
  chmod 604 drop/file drop/sub/file
  setfacl -m u:1234:rwx,g::r-- drop/file drop/sub/file
  setfacl -m u:1234:rwx,g::--x,o::--- drop/sub
  expect 0 betrcp -r drop :/dropped
  expect 0 betrcp drop/file :/dropped/named
  mkdir dropped
  expect 0 betrcp -aT :/dropped dropped
  expect 0 betrcp -a drop :/kept
  mkdir from-list
  setfacl -d -m u:4321:rwx,g::rwx from-list
  expect 0 betrcp -rT :/kept from-list/drop
  expect 0 betrcp :/kept/file from-list/named
  mv from-list/named from-list/drop
  local place
  for place in dropped from-list/drop; do
    ! getfacl -nR "$place" | grep -E "^(default|mask|user:[0-9])" || fail "$place: lists"
    has_mode "$place/file" 644
    has_mode "$place/named" 644
    has_mode "$place/sub" 710
    has_mode "$place/sub/file" 644
  done
}

keeps_modes_without_a
leaves_no_lists_of_others
gives_no_group_more_without_lists
goes_on_without_what_is_too_large
sets_attributes_before_lists
fills_directories_that_deny_their_owner
removes_attributes_that_are_denied
drops_lists_without_a
