#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp -u and --delete: an earlier copy in the image becomes what the host has, and a clone of it stays as it was.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 64M disk.img

# is_now HOST INSIDE: what is copied out is the same, times and links included.
is_now() {
  rm -rf copy
  expect 0 betrcp -aT ":$2" copy
  same_tree "$1" copy
  diff <(attributes "$1") <(attributes copy) || fail "attributes of $2 are not those of $1"
}

# A backup a day, each a clone of the one before that is updated.
keeps_days() {
  mkdir -p src/sub/deep src/gone
  seq 1000 >src/file
  seq 2000 >src/sub/other
  ln src/file src/sub/link
  ln -s file src/symlink
  echo gone >src/gone/file
  head -c 3000000 /dev/urandom >src/large
  expect 0 betrcp -auT --delete src :/day-1
  is_now src day-1
  cp -a src day-1
  expect 0 betrcp --clone day-1 day-2
  rm -r src/gone
  echo changed >src/sub/other
  chmod 700 src/sub/deep
  printf x | dd of=src/large bs=1 seek=1000000 conv=notrunc status=none
  echo new >src/new
  expect 0 betrcp -v -auT --delete src :/day-2
  said "betrcp: import: /day-2/gone: removed"
  said ".* files, .*, 3 unchanged, 1 removed, in .*"
  is_now src day-2
  is_now day-1 day-1
  expect 0 betrcp --diff day-1 day-2
  diff - out <<EOT || fail "another difference"
D gone/
M large
A new
M sub/deep/
M sub/other
EOT
  # What is not told to go stays.
  rm src/new
  expect 0 betrcp --json -auT src :/day-2
  printed '.*"unchanged": 5,.*'
  betrcp --cat day-2/new | grep -q new || fail "a file went that nobody said should go"
  expect 0 fsck.betr disk.img
}

# Two trees become one, and a file of the second has the name of the first's: what was just made there is no earlier
# copy of it, and may have another name in the second.
two_trees() { # <size>
  mkdir x y
  head -c "$1" /dev/urandom >x/f
  ln x/f y/g
  head -c "$1" /dev/urandom >y/f
  chmod 600 y/f
  touch -r x/f y/f
  expect 0 betrcp --mkdir two
  expect 0 betrcp -au x/. y/. :/two
  expect 0 betrcp -aT :/two both
  cmp y/f both/f || fail "of the second tree"
  cmp x/f both/g || fail "a link to another file"
  [ "$(stat -c %a both/f both/g | xargs)" = "600 644" ] || fail "permissions: $(stat -c %a both/f both/g)"
  expect 0 betrcp --remove two
  rm -r x y both
}

# Of two trees that become one, none has all the names.
deletes_nothing_just_copied() {
  mkdir -p x/sub y/sub
  touch x/f x/sub/f y/g y/sub/g
  expect 0 betrcp --mkdir two
  expect 0 betrcp -a src :/two
  local sources
  for sources in "x/. y/." "x/sub y/sub" "x/sub y/." "y/. x/sub"; do
    # shellcheck disable=SC2086  # two words
    expect 1 betrcp -a --delete $sources :/two
    said "betrcp: import: ${sources#* }: goes into one directory with ${sources% *}: --delete keeps .*"
  done
  expect 0 betrcp --list two
  printed src
  [ "$(wc -l <out)" = 1 ] || fail "something was copied: $(cat out)"
  expect 0 betrcp -a --delete x y :/two
  expect 0 betrcp --list -R two
  grep -qx y/sub/g out && grep -qx x/f out && grep -qx src out || fail "$(cat out)"
  rm -r x y
}

# A copy on the host that was worked on becomes what the image has, and what was not touched is not written.
restores() {
  rm -rf restored
  expect 0 betrcp -auT --delete :/day-2 restored
  local same=(restored/large restored/sub/link restored/sub) before
  before=$(stat -c "%i %z" "${same[@]}")
  echo worked >restored/new
  ln -sfn elsewhere restored/symlink
  mkdir restored/built
  touch restored/built/object
  expect 0 betrcp -v -auT --delete :/day-2 restored
  said "betrcp: export: restored/built: removed"
  said ".* files, .*, 4 unchanged, 1 removed, in .*"
  is_now restored day-2
  [ "$before" = "$(stat -c "%i %z" "${same[@]}")" ] || fail "what was the same was written"
  touch restored/added
  expect 0 betrcp --json -auT :/day-2 restored
  printed '.*"unchanged": 6,.*'
  [ -e restored/added ] || fail "a file went that nobody said should go"
  # What holds the image is in the way of a restored tree, and stays.
  expect 0 betrcp --mkdir empty
  mkdir home
  cp disk.img home/
  expect 1 betrcp -aT --delete home/disk.img:/empty home
  said "betrcp: export: .*home/disk.img: is the image: Device or resource busy"
  expect 0 fsck.betr home/disk.img
  rm -r home
}

# Both ways: what is told is what is done then, and nothing is before.
is_tried() {
  rm -rf tried other
  expect 0 betrcp -aT :/day-2 tried
  cp -a tried other
  echo worked >other/new
  mkdir other/built
  touch other/built/object
  rm -r other/sub
  local image before
  image=$(sha256sum disk.img)
  expect 0 betrcp -n -auT --delete other :/day-2
  diff - out <<EOT || fail "another trial"
D /day-2/sub
A /day-2/built
M /day-2/new
A /day-2/built/object
EOT
  silent
  expect 0 betrcp --json -n -auT --delete other :/day-2
  printed '.*"bytes": 7,.*'
  printed '.*"dry_run": true,.*'
  printed '.*"removed": 1,.*'
  [ "$image" = "$(sha256sum disk.img)" ] || fail "a trial has written to the image"
  before=$(find other -printf '%p %i %C@\n')
  expect 0 betrcp --dry-run -v -auT --delete :/day-2 other
  diff - <(sort out) <<EOT || fail "another trial"
A other/sub
A other/sub/deep
A other/sub/link
A other/sub/other
D other/built
M other/new
EOT
  said ".* files, .*, 3 unchanged, 1 removed, in .*"
  [ "$before" = "$(find other -printf '%p %i %C@\n')" ] || fail "a trial has changed the host"
  expect 0 betrcp -n -a :/day-2 nowhere
  [ ! -e nowhere ] || fail "a trial made nowhere"
  expect 1 betrcp -n -a :/day-2 no/where
  said "betrcp: export: no/where: .*No such file or directory"
}

# What is behind the loop device that holds the image is the image, too.
keeps_backing_file() {
  local loop
  mkdir home
  cp disk.img home/
  if loop=$(losetup -f --show home/disk.img 2>/dev/null); then
    # shellcheck disable=SC2064  # this loop device
    trap "losetup -d $loop; rm -rf '$work'" EXIT
    touch home/z
    expect 1 betrcp -aT --delete "$loop:/empty" home
    said "betrcp: export: .*home/disk.img: is the image: Device or resource busy"
    [ -e home/disk.img ] && [ ! -e home/z ] || fail "in home: $(ls home)"
  fi
}

# Who is not root may not write into what has no permission for it, though it is his own; nor set attributes of it.
changes_what_is_write_protected() {
  local as=()
  if [ "$(id -u)" = 0 ]; then
    command -v setpriv >/dev/null || return 0
    as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    chmod 711 "$work"
    chmod 644 disk.img
  fi
  mkdir -p protected/directory protected/gone/below theirs
  echo before | tee protected/file protected/directory/file protected/gone/below/file >/dev/null
  chmod -R a-w protected
  [ "$(id -u)" != 0 ] || chown -R 65534:65534 protected theirs
  expect 0 betrcp -aT protected :/protected
  expect 0 "${as[@]}" betrcp -aT :/protected theirs/copy
  chmod -R u+w protected
  rm -r protected/gone
  echo after >protected/directory/file
  setfattr -n user.new -v 1 protected/file 2>/dev/null || true
  chmod -R a-w protected
  expect 0 betrcp -auT --delete protected :/protected
  expect 0 "${as[@]}" betrcp -v -auT --delete :/protected theirs/copy
  said "4 files, .*, 1 unchanged, 1 removed, in .*"
  same_tree protected theirs/copy
  diff <(attributes protected) <(attributes theirs/copy) || fail "other attributes"
  expect 0 "${as[@]}" betrcp --json -auT --delete :/protected theirs/copy
  printed '.*"unchanged": 2,.*'
  chmod -R u+w protected theirs
}

# What somebody expects of these options elsewhere.
refuses() {
  local options message arguments
  while IFS=, read -r options message arguments; do
    # shellcheck disable=SC2086  # arguments are words
    expect 2 betrcp $arguments
    said "betrcp: $options:$message.*"
  done <<EOT
-u, only with -a, -ru src :/a
--delete, only with -r or -a, --delete src :/a
-u, only with -a, -ru :/day-1 out
--delete, only with -r or -a, --delete :/day-1 out
-u, only for copies, --list -u day-1
--delete, only for copies, --clone --delete day-1 b
-n, only for copies, --remove -n day-1
EOT
}

keeps_days
two_trees 2000000
two_trees 2000
deletes_nothing_just_copied
restores
is_tried
changes_what_is_write_protected
refuses
keeps_backing_file
