#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp: what no copy may destroy, at its destination or at its source; what is saved from a damaged one.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 16M disk.img
mkdir -p host/tree/sub
echo precious >host/tree/sub/file
echo small >host/small
betrcp -r host/tree host/small :/

# unchanged COMMAND...: which changes neither the image nor the host.
unchanged() {
  sha256sum disk.img >before
  find host -type f -exec sha256sum {} + | sort >>before
  expect 1 "$@"
  sha256sum disk.img >after
  find host -type f -exec sha256sum {} + | sort >>after
  diff before after || fail "$*: something has changed"
}

keeps_the_image() {
  local place
  ln disk.img host/same.img
  ln -s disk.img link.img
  for place in disk.img host/same.img "$PWD/disk.img"; do
    unchanged betrcp -a :/ "$place"
    said "betrcp: export: .*: is the image: Invalid argument"
    unchanged betrcp :/small "$place"
    said "betrcp: export: .*: is the image: Invalid argument"
    unchanged betrcp --tar :/ "$place"
    said "betrcp: export: .*: is the image: Invalid argument"
  done
  unchanged betrcp --tar :/ link.img
  unchanged betrcp host/same.img :/
  said "betrcp: import: host/same.img: the image cannot be in itself: Invalid argument"
  expect 0 betrcp -r host :/host # all but the image
  said "betrcp: import: host/same.img: is the image itself: left out"
  expect 0 betrcp --list host
  diff out <(printf '%s\n' small tree) || fail "host: $(cat out)"
  expect 0 mkfs.betr -q -s 64M -d . new.img # a new image is not there yet
  expect 1 mkfs.betr -q -f -d . new.img
  said "mkfs.betr: make: .*new.img: the image cannot be in itself: Invalid argument"
  expect 0 betrcp -i new.img --list
  rm host/same.img link.img
  expect 0 betrcp --remove host
  expect 0 fsck.betr -n disk.img
}

# refused REGEX COMMAND...: with -n and without, before anything is written to used/img.
refused() {
  local message=$1
  shift
  cp used/img before.img
  expect 1 "$@"
  said "$message"
  mv err real.err
  expect 1 "$1" -n "${@:2}"
  diff real.err err || fail "$* -n: other words"
  cmp used/img before.img || fail "$*: the image has changed"
}

# What an image is to be filled from is not overwritten by it first.
keeps_what_fills_an_image() {
  local name
  mkdir used used/deep other
  tar -C host -cf used/img .
  ln used/img hard.tar
  ln -s used/img soft.tar
  for name in used/img ./used/../used/img hard.tar soft.tar; do
    refused "mkfs.betr: make: used/img: is the image: Invalid argument" mkfs.betr -q -f -s 16M --tar used/img "$name"
    refused "mkfs.betr: make: $name: is the image: Invalid argument" mkfs.betr -q -f -s 16M --tar "$name" used/img
  done
  cp used/img before.img
  expect 1 mkfs.betr -q -f -s 16M --tar - used/img <hard.tar
  said "mkfs.betr: make: -: is the image: Invalid argument"
  cmp used/img before.img || fail "the archive is gone"
  rm hard.tar soft.tar
  expect 0 mkfs.betr -q -f -s 16M used/img
  expect 0 betrcp host/small used/img:/
  refused "mkfs.betr: make: used/img: the image cannot be in itself: Invalid argument" mkfs.betr -q -f -d used used/img
  refused "mkfs.betr: make: ./used/img: the image cannot be in itself: Invalid argument" mkfs.betr -q -f -d ./ used/img
  ln used/img other/same
  refused "mkfs.betr: make: other/same: the image cannot be in itself: Invalid argument" \
    mkfs.betr -q -f -d other used/img
  ln -s used link
  refused "mkfs.betr: make: link: Not a directory" mkfs.betr -q -f -d link used/img
  rm other/same link
  # A link to it is no copy of it, and of other sources it is no part.
  ln -s ../used/img other/link
  expect 0 mkfs.betr -q -f -d other used/img
  expect 0 betrcp -i used/img --list
  printed link
  expect 0 mkfs.betr -q -s 16M -d other other/new
  expect 0 betrcp -i other/new --list
  [ "$(cat out)" = link ] || fail "the new image is in itself"
  # Nor is an image read as an archive.
  for name in used/img used/deep/../img; do
    cp used/img before.img
    expect 1 betrcp -i used/img --tar "$name" :/
    said "betrcp: import: $name: is the image: Invalid argument"
    cmp used/img before.img || fail "the image has changed"
  done
  expect 1 betrcp -i used/img --tar - :/ <used/img
  said "betrcp: import: -: is the image: Invalid argument"
  expect 1 bash -c 'betrcp -i used/img --tar :/ - 1<>used/img'
  said "betrcp: export: -: is the image: Invalid argument"
  expect 0 betrcp -i used/img --list
  rm -r used other before.img
}

keeps_trees() {
  unchanged betrcp -T host/small :/tree
  said "betrcp: import: host/small: cannot replace a directory by what is none: Is a directory"
  unchanged betrcp -rT host/tree :/small
  said "betrcp: import: host/tree: cannot replace what is no directory by one: Not a directory"
  unchanged betrcp -T :/small host/tree
  said "betrcp: export: /small: host/tree: cannot replace a directory by what is none: Is a directory"
  unchanged betrcp -rT :/tree host/small
  said "betrcp: export: /tree: host/small: cannot replace what is no directory by one: Not a directory"
  # Further down, of links, and from archives.
  mkdir -p merged/tree
  echo file >merged/tree/sub
  ln merged/tree/sub merged/tree/first
  expect 1 betrcp -a merged/tree :/
  said "betrcp: import: merged/tree/sub: cannot replace a directory by what is none: Is a directory"
  tar -C merged -cf merged.tar .
  expect 1 betrcp --tar merged.tar :/
  said "betrcp: import: merged.tar: .*tree/sub: cannot replace a directory by what is none: Is a directory"
  expect 0 betrcp --cat tree/sub/file
  printed precious
}

# Who names a stream wants to write to it.
keeps_streams() {
  local stream
  mkdir streams
  mkfifo streams/fifo
  ln -s fifo streams/to-fifo
  ln -s /dev/null streams/to-device
  ln -s /proc/self/fd/1 streams/stdout
  ln -s stdout streams/to-stdout
  python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('streams/socket')"
  find streams -printf '%p %y %i %l\n' | sort >streams.before
  # What a process has open may be a regular file, as here.
  for stream in fifo to-fifo to-device stdout to-stdout socket; do
    for option in -q -a -T; do
      unchanged betrcp $option :/small "streams/$stream"
      said "betrcp: export: streams/$stream: is a device or a stream, or leads to one: betrcp --cat writes to it"
    done
  done
  expect 0 betrcp --mkdir kinds-of-links
  ln -s small link
  expect 0 betrcp link :/kinds-of-links
  unchanged betrcp :/kinds-of-links/link streams/to-device
  unchanged betrcp :/small :/kinds-of-links/link streams/fifo
  unchanged betrcp -r :/tree streams/fifo
  expect 0 betrcp --cat small
  printed small
  find streams -printf '%p %y %i %l\n' | sort | diff streams.before - || fail "a stream is gone"
  # In a directory it is a name as any other.
  rm streams/fifo
  mkfifo streams/small
  expect 0 betrcp :/small streams
  [ "$(cat streams/small)" = small ] || fail "not the file"
  # What leads to a file, or to nothing, is replaced.
  ln -s small streams/to-file
  ln -s nothing streams/to-nothing
  expect 0 betrcp :/small streams/to-file
  expect 0 betrcp :/small streams/to-nothing
  [ -f streams/to-file ] && [ ! -L streams/to-file ] && [ ! -L streams/to-nothing ] || fail "still links"
}

# A device of the host is not what a file replaces.
keeps_devices() {
  [ "$(id -u)" = 0 ] || return 0
  mkdir special
  mknod special/small c 1 3 2>/dev/null || return 0
  unchanged betrcp :/small special/small
  said "betrcp: export: special/small: is a device or a stream, or leads to one: betrcp --cat writes to it"
  unchanged betrcp -a :/small special
  said "betrcp: export: /small: special/small: is a device, which only a device replaces: File exists"
  ln host/small host/second
  expect 0 betrcp --mkdir linked
  expect 0 betrcp -a host/small host/second :/linked
  rm host/second special/small
  mknod special/second c 1 3
  expect 1 betrcp -a :/linked/small :/linked/second special
  said "betrcp: export: /linked/second: special/second: is a device, .*"
  [ -c special/second ] || fail "the device is gone"
  # Nor a link, a fifo or a socket; another device may.
  mkdir kinds
  ln -s small kinds/link
  mkfifo kinds/fifo
  python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('kinds/socket')"
  mknod kinds/device b 7 7
  expect 0 betrcp -a kinds :/
  local kind
  for kind in link fifo socket; do
    unchanged betrcp -aT ":/kinds/$kind" special/second
    said "betrcp: export: /kinds/$kind: special/second: is a device, which only a device replaces: File exists"
    [ "$(stat -c %t,%T special/second)" = 1,3 ] || fail "the device is gone"
  done
  expect 0 betrcp -aT :/kinds/device special/second
  [ "$(stat -c %F,%t,%T special/second)" = "block special file,7,7" ] || fail "not the device"
}

keeps_what_it_cannot_replace() {
  local place
  unchanged betrcp --tar :/nothing host/small
  said "betrcp: export: /nothing: No such file or directory"
  # All that is named is looked at before anything is copied.
  unchanged betrcp host/small nothing :/tree
  said "betrcp: import: nothing: No such file or directory"
  cp host/small host/tree/small
  unchanged betrcp host/small host/tree/small :/tree
  said "betrcp: import: host/tree/small: host/small becomes /tree/small, too"
  unchanged betrcp --remove small/
  said "betrcp: remove: small/: Not a directory"
  for place in tree/. tree/sub/.. tree/sub/../. tree/./; do
    unchanged betrcp --remove "$place"
    said "betrcp: remove: $place: '.' and '..' are not removed"
  done
  for place in / . .. //./ tree/..; do
    unchanged betrcp --remove "$place"
    said "betrcp: remove: /: the root cannot be removed"
  done
  # Without an image a path is one on a mount, and what is elsewhere stays.
  for place in host/tree host/small host/; do
    expect 1 env -u BETR_IMAGE betrcp --remove "$place"
    said "betrcp: remove: $place: not on a mounted betr image, and no image was named \(-i\)"
  done
  expect 1 env -u BETR_IMAGE betrcp --remove host/nothing host/small/ host/tree/.
  said "betrcp: remove: host/nothing: No such file or directory"
  said "betrcp: remove: host/small/: Not a directory"
  said "betrcp: remove: host/tree/.: '.' and '..' are not removed"
  expect 2 env -u BETR_IMAGE betrcp --remove ""
  expect 2 env -u BETR_IMAGE betrcp --remove
  expect 2 env -u BETR_IMAGE betrcp --json --remove host/tree
  [ -d host/tree ] && [ -f host/small ] || fail "something of the host was removed"
  [ "$(id -u)" != 0 ] || command -v setpriv >/dev/null || return 0
  local as=()
  [ "$(id -u)" != 0 ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  mkdir -m 777 others
  cp host/small others/secret
  (
    chmod 755 . && cd others && export BETR_IMAGE=others.img
    expect 0 "${as[@]}" mkfs.betr -q -s 64M others.img
    expect 0 "${as[@]}" betrcp secret :/
    chmod 000 secret
    expect 1 "${as[@]}" betrcp secret :/
    said "betrcp: import: secret: open: Permission denied"
    expect 0 "${as[@]}" betrcp --cat secret
    printed small
    # What somebody makes is theirs.
    expect 0 "${as[@]}" betrcp --mkdir -p p/q/
    expect 0 "${as[@]}" betrcp --list -lR
    [ "$(grep -cE " $(stat -c "%u +%g" others.img) " out)" = 3 ] || fail "owners: $(cat out)"
    # What a user takes out is the user's: read-only files with their attributes, and no set-id files of others.
    install -m 4755 /bin/true suid && touch noted && chmod 444 noted && mkdir -m 555 kept
    if setfattr -n user.note -v 1 noted kept 2>err; then
      "${as[@]}" rm -f others.img
      expect 0 mkfs.betr -q -s 64M others.img
      expect 0 betrcp -a suid noted kept :/
      chmod 666 others.img
      mkdir -m 777 theirs
      expect 0 "${as[@]}" betrcp -a :/suid :/noted :/kept theirs/
      [ "$(getfattr --only-values -n user.note theirs/noted theirs/kept 2>err)" = 11 ] || fail "xattrs: $(cat err)"
      [ "$(stat -c %a theirs/noted theirs/kept | tr '\n' ' ')" = "444 555 " ] || fail "modes of what is read-only"
      [ "$(id -u)" != 0 ] || [ "$(stat -c %a theirs/suid)" = 755 ] || fail "a set-id file of somebody else's"
    fi
  )
}

copies_all_of_it() {
  # What has no size before it is read.
  expect 0 betrcp /proc/self/environ /proc/version :/
  expect 0 betrcp --cat version
  cmp out /proc/version
  # What is in a directory goes into what a link leads to.
  mkdir real
  ln -s real way
  expect 0 betrcp -r :/tree/. way
  expect 0 betrcp -a :/tree/sub/. way/
  same_tree host/tree/sub real/sub
  cmp host/tree/sub/file real/file
  [ -L way ] || fail "the link is gone"
  expect 1 betrcp -rT :/tree way
  said "betrcp: export: /tree: way: cannot replace what is no directory by one: Not a directory"
  # Names of one file, given one by one.
  ln host/small host/other
  expect 0 betrcp -a host/small host/other :/tree
  expect 0 betrcp --list -l tree
  printed "-.{9} +2 .* other"
  mkdir out-dir
  expect 0 betrcp -a :/tree/small :/tree/other out-dir
  [ out-dir/small -ef out-dir/other ] || fail "two files of one"
  # Times that nanoseconds since 1970 do not reach.
  touch -d 2300-01-02T03:04:05Z host/late
  expect 0 betrcp -a host/late :/
  expect 0 betrcp --list -l late
  printed ".* 2300-01-02T03:04:05Z late"
}

# damaged.img: whole.img with one unreadable block in the file with that name.
damage_content() { # <file>
  cp whole.img damaged.img
  python3 - "$1" <<'PYTHON'
import sys
content = open(sys.argv[1], "rb").read()
with open("damaged.img", "r+b") as image:
    block = content[len(content) // 4 * 3 :][:2000]
    at = image.read().find(block)
    assert at > 0
    image.seek(at)
    image.write(bytes([block[0] ^ 1]))
PYTHON
}

saves_what_can_be_read() {
  mkdir saved-tree
  for n in $(seq 40); do head -c 20000 /dev/urandom >saved-tree/file-"$n"; done
  head -c 4M /dev/urandom >saved-tree/file-2-large
  expect 0 mkfs.betr -s 64M --node-size 64K --compress none -d saved-tree whole.img
  damage_content saved-tree/file-2-large
  expect 4 betrcp -a damaged.img:/ saved
  said "betrcp: export: /file-2-large: incomplete: only the first [0-9]+ of 4194304 bytes: node .*"
  [ "$(stat -c %s saved/file-2-large)" -gt 3000000 ] || fail "less was saved than can be read"
  cmp -n "$(stat -c %s saved/file-2-large)" saved/file-2-large saved-tree/file-2-large
  expect 4 betrcp --tar damaged.img:/ saved.tar
  said "betrcp: export: ./file-2-large: incomplete: zeros for bytes [0-9]+ to 4194303: node .*"
  mkdir untar-saved
  tar -C untar-saved -xf saved.tar
  [ "$(stat -c %s untar-saved/file-2-large)" = 4194304 ] || fail "the member has another size"
  cmp -n "$(stat -c %s saved/file-2-large)" untar-saved/file-2-large saved-tree/file-2-large
  rm {saved-tree,saved,untar-saved}/file-2-large
  same_tree saved-tree saved
  same_tree saved-tree untar-saved
  # Nor does what is in the way hold up the rest.
  mkdir -p blocked/file-1
  expect 4 betrcp -a damaged.img:/. blocked
  said "betrcp: export: /file-1: blocked/file-1: cannot replace a directory by what is none: Is a directory"
  rm -r blocked/file-1 blocked/file-2-large saved-tree/file-1
  same_tree saved-tree blocked
}

keeps_the_image
keeps_what_fills_an_image
keeps_trees
keeps_streams
keeps_devices
keeps_what_it_cannot_replace
copies_all_of_it
saves_what_can_be_read
