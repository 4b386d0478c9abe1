#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp: into, out of and inside an image; each thing that it refuses.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 256M disk.img

make_tree() { # <directory>
  mkdir -p "$1/sub/deep"
  seq 5000 >"$1/numbers"
  head -c 100000 /dev/urandom >"$1/sub/noise"
  printf 'hello\n' >"$1/sub/deep/hello"
  ln -s sub/noise "$1/link"
  ln "$1/numbers" "$1/sub/same"
  chmod 640 "$1/numbers"
  touch -d '2002-03-04 05:06:07.25' "$1/sub/noise" "$1/sub"
}

copies_trees() {
  make_tree tree
  expect 0 betrcp -a tree :/tree
  silent
  expect 0 betrcp -a :/tree copy
  same_tree tree copy
  diff <(attributes tree) <(attributes copy) || fail "attributes differ"
  # Into a directory that exists, several at once, by another path to the image.
  expect 0 betrcp --mkdir in
  expect 0 betrcp -r tree/sub tree/numbers disk.img:/in
  mkdir out-dir
  expect 0 betrcp -r :in/sub :/in/numbers out-dir
  diff tree/numbers out-dir/numbers
  same_tree tree/sub out-dir/sub
  # The content of a directory; -T makes a name of what is a directory.
  expect 0 betrcp -a tree/. :/content
  expect 0 betrcp -aT tree :/in
  expect 0 betrcp --list in
  printed link
  expect 0 betrcp -a :/content/. content
  same_tree tree content
}

copies_single_files() {
  expect 0 betrcp tree/numbers :/
  expect 0 betrcp --cat numbers
  cmp out tree/numbers
  expect 0 betrcp tree/numbers :/renamed
  expect 0 betrcp :renamed back
  cmp back tree/numbers
  printf short >short
  expect 0 betrcp short :/renamed
  expect 0 betrcp --cat :/renamed
  cmp out short
  expect 0 betrcp -v tree/numbers :/verbose
  said "1 files, .*, in .*"
  expect 0 betrcp --json tree/numbers :/json
  python3 -c "import json; d = json.load(open('out')); assert d['schema'] == 'betr.copy' and d['files'] == 1, d"
}

copies_archives() {
  tar -C tree -cf tree.tar .
  expect 0 betrcp --tar tree.tar :/from/tar
  expect 0 betrcp -a :/from/tar from-tar
  same_tree tree from-tar
  expect 0 betrcp --tar :/tree out.tar
  mkdir untar
  tar -C untar -xf out.tar
  expect 0 betrcp --tar :/tree -
  cmp out out.tar
  xz -k tree.tar
  cat tree.tar.xz | expect 0 betrcp --tar - :/stdin
  expect 0 betrcp -a :/stdin from-stdin
  same_tree tree from-stdin
}

clones() {
  expect 0 betrcp --clone tree clone
  silent
  [ ! -s out ] || fail "a clone prints without -v"
  expect 0 betrcp -v --clone tree clone2
  printed "clone tree -> clone2: .*, [0-9]+ nodes touched"
  expect 0 betrcp -v --clone tree kopie-größe
  printed "clone tree -> kopie-größe: .*, [0-9]+ nodes touched"
  expect 0 betrcp --json --clone :/tree :/clone3
  python3 -c "import json; d=json.load(open('out')); assert d['schema'] == 'betr.clone' and d['nodes_touched'] >= 0, d"
  # Into a directory; of a file; of everything.
  expect 0 betrcp --clone tree in
  expect 0 betrcp --clone tree/numbers one-file
  expect 0 betrcp --clone / everything
  for path in clone clone2 clone3 in/tree everything/clone everything/in/tree; do
    expect 0 betrcp -a ":/$path" "out-dir/${path//\//-}"
    same_tree tree "out-dir/${path//\//-}"
  done
  expect 0 betrcp --cat one-file
  cmp out tree/numbers
  # Both sides live their own lives.
  expect 0 betrcp short :/clone/sub/noise
  expect 0 betrcp --cat tree/sub/noise
  cmp out tree/sub/noise
  expect 0 betrcp --cat clone/sub/noise
  cmp out short
}

refuses_clones() {
  expect 1 betrcp --clone tree tree/sub/inner
  said "betrcp: clone: tree/sub/inner: cannot clone a directory into itself"
  expect 1 betrcp --clone tree tree
  said "betrcp: clone: tree/tree: cannot clone a directory into itself"
  expect 1 betrcp --clone numbers numbers
  said "betrcp: clone: /numbers -> /numbers: File exists"
  expect 1 betrcp --clone numbers numbers/below
  said "betrcp: clone: .*numbers/below.*: Not a directory"
  expect 1 betrcp --clone nothing b
  said "betrcp: clone: .*nothing.*: No such file or directory"
  expect 1 betrcp --clone tree/sub numbers
  said "betrcp: clone: .*numbers.*: File exists"
  expect 1 betrcp --clone tree no/such/parent
  said "betrcp: clone: .*: No such file or directory"
  expect 0 betrcp --list
  ! grep -qx "b" out || fail "a clone of nothing is there"
}

renames_and_removes() {
  expect 0 betrcp --rename clone2 moved
  expect 0 betrcp -a :/moved moved
  same_tree tree moved
  expect 0 betrcp --rename moved in
  expect 0 betrcp --list in/moved
  expect 1 betrcp --list moved
  said "betrcp: list: /moved: No such file or directory"
  expect 1 betrcp --rename nothing b
  expect 1 betrcp --rename in in/moved/again
  said "betrcp: rename: .*: Invalid argument"
  expect 0 betrcp --remove in/moved everything
  expect 1 betrcp --remove in/moved
  said "betrcp: remove: /in/moved: No such file or directory"
  expect 1 betrcp --remove /
  said "betrcp: remove: /: the root cannot be removed"
  expect 1 betrcp --mkdir in
  said "betrcp: mkdir: /in: File exists"
  expect 1 betrcp --mkdir a/b/c
  expect 0 betrcp -p --mkdir a/b/c
  expect 0 betrcp -p --mkdir a/b/c
  expect 0 betrcp -p --mkdir missing/../a/d
  expect 0 betrcp --list a/d
}

# As cat(1), rm(1), mkdir(1) and ls(1): the error is told, the rest is done, the exit code is 1.
goes_on_after_errors() {
  expect 1 betrcp --mkdir goes/on goes-on
  said "betrcp: mkdir: .*goes/on.*: No such file or directory"
  expect 0 betrcp short :/goes-on/a
  expect 0 betrcp short :/goes-on/b
  expect 1 betrcp --cat goes-on/a goes-on nosuch goes-on/b
  [ "$(cat out)" = shortshort ] || fail "cat: $(cat out)"
  said "betrcp: cat: /nosuch: No such file or directory"
  said "betrcp: cat: .*goes-on: .*Is a directory"
  expect 1 betrcp --list nosuch goes-on
  said "betrcp: list: /nosuch: No such file or directory"
  diff out <(printf '%s\n' goes-on: a b) || fail "list"
  expect 1 betrcp --remove nosuch goes-on goes-on
  [ "$(grep -c . err)" = 2 ] || fail "remove: $(cat err)"
  expect 1 betrcp --list goes-on
}

lists_several() {
  expect 0 betrcp --mkdir one two two/three
  expect 0 betrcp short :/one/a
  expect 0 betrcp short :/two/b
  expect 0 betrcp --list two one/a one
  diff out <(printf '%s\n' one/a '' two: b three '' one: a) || fail "list of several"
  expect 0 betrcp --list -R one two
  diff out <(printf '%s\n' one: a '' two: b three) || fail "list -R of several"
  expect 0 betrcp --list --json one two
  python3 -c "
import json
entries = json.load(open('out'))['entries']
assert [(entry['directory'], entry['path']) for entry in entries] == [('one', 'a'), ('two', 'b'), ('two', 'three')]"
  expect 0 betrcp --remove one two
}

lists_devices() {
  python3 - <<'PYTHON'
import io, tarfile
with tarfile.open("devices.tar", "w") as archive:
    device = tarfile.TarInfo("null")
    device.type, device.devmajor, device.devminor = tarfile.CHRTYPE, 1, 3
    archive.addfile(device)
PYTHON
  expect 0 betrcp --tar devices.tar :/devices
  expect 0 betrcp --list -l devices
  printed "c[-rw]+ +1 +0 +0 +1, 3 .* null"
  expect 0 betrcp --list --json devices
  python3 -c "
import json
entry = json.load(open('out'))['entries'][0]
assert (entry['device'], entry['major'], entry['minor']) == (0x103, 1, 3), entry"
}

# Raw for programs, harmless for terminals.
lists_for_terminals() {
  local names=($'a\e[31m' $'b\xc2\x9b' $'c\xff' 'd-ä\x41' 'e\n') name
  expect 0 betrcp --mkdir odd
  for name in "${names[@]}"; do expect 0 betrcp short ":/odd/$name"; done
  expect 0 betrcp --list odd
  diff out <(printf '%s\n' "${names[@]}") || fail "names are not raw"
  expect 0 script -qec "betrcp --list odd" /dev/null
  names=('a\x1b[31m' 'b\xc2\x9b' 'c\xff' 'd-ä\\x41' 'e\\n')
  diff <(tr -d '\r' <out) <(printf '%s\n' "${names[@]}") || fail "names on a terminal"
}

lists() {
  expect 0 betrcp --list tree
  diff out <(ls -A tree | LC_ALL=C sort) || fail "list"
  expect 0 betrcp --list -R tree
  diff <(sort out) <(cd tree && find . -mindepth 1 -printf '%P\n' | sort) || fail "list -R"
  expect 0 betrcp --list -l tree
  printed "-rw-r----- +2 +$(id -u) +$(id -g) +$(stat -c %s tree/numbers) .*Z numbers"
  printed "l.* link -> sub/noise"
  printed "d.* 2002-03-04T..:06:07Z sub"
  expect 0 betrcp --list tree/numbers
  printed tree/numbers
  expect 0 betrcp --list --json -R tree
  python3 -c "
import json
document = json.load(open('out'))
entries = {entry['path']: entry for entry in document['entries']}
assert document['schema'] == 'betr.list', document
assert entries['numbers']['mode'] == '0640' and entries['numbers']['links'] == 2, entries
assert entries['link']['target'] == 'sub/noise' and entries['sub/deep']['type'] == 'directory', entries
assert entries['numbers']['inode'] == entries['sub/same']['inode'], entries"
}

does_experiments() {
  mkfs.betr -q -s 64M experiments.img
  cp -a tree big
  head -c 3000000 /dev/urandom >big/three-megabytes
  local do=(betrcp -i experiments.img --experiment rename-by-copy,delete-by-key,copy-at-once)
  expect 0 "${do[@]}" -a big :/tree
  expect 0 "${do[@]}" --rename tree moved
  expect 0 "${do[@]}" --clone moved clone
  expect 0 "${do[@]}" --remove moved
  silent
  expect 0 betrcp -i experiments.img -a :/clone cloned
  same_tree big cloned
  expect 0 fsck.betr experiments.img
  expect 2 betrcp --experiment split-by-size,zone --list
  said ".*experiment \"zone\": there is none; known are .*split-by-size.*"
}

does_zones() {
  mkfs.betr -q -s 64M zones.img
  cp -a tree big
  head -c 300000 /dev/urandom >big/sub/large
  local do=(betrcp -i zones.img)
  expect 0 "${do[@]}" --experiment zones=16K -a big :/tree
  expect 0 "${do[@]}" --experiment zones=16K --rename tree moved
  silent
  expect 0 betrdump -i zones.img path meta /moved/sub/large
  printed "entry: .* size 300000, .*"
  expect 0 "${do[@]}" -a :/moved zoned
  same_tree big zoned
  expect 1 "${do[@]}" --clone / everything
  said ".*zones below it.*"
  expect 0 "${do[@]}" --rename moved again
  expect 0 "${do[@]}" --clone again/numbers numbers
  expect 0 fsck.betr zones.img
  expect 0 "${do[@]}" --remove again
  expect 0 fsck.betr zones.img
}

knows_wrong_operands() {
  expect 2 betrcp
  said "betrcp: copy: 0 operands: wants SRC and DST"
  expect 2 betrcp a b
  said "betrcp: neither a nor b is inside an image: :/path is"
  expect 2 betrcp :/a :/b
  said "betrcp: both SRC and DST are inside the image: --clone does that"
  expect 2 betrcp other.img:/tree :/new
  said "betrcp: other.img and .*disk.img are two images: copy through the host"
  expect 2 betrcp one.img:/a two.img:/b
  expect 2 betrcp --clone one.img:/a two.img:/b
  said "betrcp: one.img and two.img are two images: copy through the host"
  expect 2 betrcp --clone a
  said "betrcp: --clone: 1 operands: wants A and B"
  expect 2 betrcp --clone --list a b
  said "betrcp: --clone and --list are two commands"
  expect 2 betrcp --tar a b
  expect 2 betrcp --tar :/a :/b
  expect 2 betrcp -i "" --remove tree
  said "betrcp: --image: the value is empty"
  expect 2 env -u BETR_IMAGE betrcp --clone a :/b
  said "betrcp: no image: give -i IMAGE, IMAGE:/path, or set BETR_IMAGE"
  expect 2 betrcp --clone one.img:/a :/b
  said "betrcp: one.img and .*disk.img are two images: copy through the host"
  expect 2 env -u BETR_IMAGE betrcp a :/b
  said "betrcp: no image: give -i IMAGE, IMAGE:/path, or set BETR_IMAGE"
  expect 1 betrcp tree :/dir
  said "betrcp: import: tree: is a directory: -r or -a copies it"
  expect 1 betrcp :/tree dir
  said "betrcp: export: /tree: is a directory: -r or -a copies it"
  expect 1 betrcp nothing :/
  said "betrcp: import: nothing: No such file or directory"
  expect 1 betrcp :/nothing .
  said "betrcp: export: /nothing: No such file or directory"
  expect 1 betrcp tree/numbers short :/target
  said "betrcp: import: /target: No such file or directory"
  expect 1 betrcp tree/numbers short :/numbers
  said "betrcp: import: /numbers: Not a directory"
  expect 1 betrcp tree/numbers :/no/such
  expect 1 betrcp :/numbers no/such
  expect 1 betrcp --cat tree
  said "betrcp: cat: .*tree.*: Is a directory"
  expect 1 betrcp --list numbers/below
  said "betrcp: list: .*: Not a directory"
  expect 1 betrcp --tar tree/numbers :/no-archive
  expect 1 betrcp --tar - :/no-archive </dev/null
  said "betrcp: import: stdin: archive: Unrecognized archive format"
  head -c 10240 /dev/zero | expect 0 betrcp --tar - :/nothing-in-it
  expect 1 betrcp --list /nosuch/
  said "betrcp: list: /nosuch/: No such file or directory"
  expect 1 betrcp --list nosuch/below
  said "betrcp: list: /nosuch/below: nosuch: No such file or directory"
  expect 1 bash -c 'betrcp --cat numbers >/dev/full'
}

# Operands without a colon are in the image that another one names.
joins_operands() {
  mkfs.betr -q -s 64M other.img
  local do
  for do in "env -u BETR_IMAGE betrcp" betrcp; do
    expect 0 $do short other.img:/src
    expect 0 $do --clone other.img:/src b
    expect 0 $do --rename b other.img:/c
    expect 0 $do --cat other.img:/c src
    [ "$(cat out)" = shortshort ] || fail "cat: $(cat out)"
    expect 0 $do --remove c other.img:/src
  done
  expect 0 env -u BETR_IMAGE betrcp --mkdir :/d other.img:/e
  expect 0 betrcp -i other.img --list
  diff out <(printf '%s\n' d e) || fail "list"
}

knows_images() {
  expect 1 betrcp -i nothing.img --list
  said "betrcp: open: .*nothing.img.*: No such file or directory"
  seq 100000 >noise.img
  expect 4 betrcp -i noise.img --list
  said "betrcp: open: .*noise.img: not a betr image"
  cp disk.img damaged.img
  printf '\377\377' | dd of=damaged.img bs=1 seek=200 conv=notrunc status=none
  printf '\377\377' | dd of=damaged.img bs=1 seek=4296 conv=notrunc status=none
  expect 4 betrcp -i damaged.img --list
  said "betrcp: open: .*damaged.img.*superblock.*"
  holding disk.img expect 3 betrcp --list
  said "betrcp: open: .*disk.img: in use by pid [0-9]+ \(betrcp\) on .* since .*"
}

copies_trees
copies_single_files
copies_archives
clones
refuses_clones
renames_and_removes
goes_on_after_errors
lists
lists_several
lists_devices
lists_for_terminals
does_experiments
does_zones
knows_wrong_operands
joins_operands
knows_images
