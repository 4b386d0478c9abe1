#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mkfs.betr: images from nothing, from a directory, from an archive; what it refuses; the same bytes each time.
. "$BETR_SOURCE_DIR/tests/tools/checks.sh"

uuid=8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10

makes_an_image() {
  expect 0 mkfs.betr -s 64M -L first -U $uuid disk.img
  silent
  printed "disk.img: new file, 64 MiB"
  printed "  label        first"
  printed "  uuid         $uuid"
  [ "$(stat -c %s disk.img)" = $((64 << 20)) ] || fail "size of the image"
  [ "$(du -k disk.img | cut -f1)" -lt 4096 ] || fail "the image is not sparse"
  expect 0 betrcp -i disk.img --list
  [ ! -s out ] || fail "a new file system is not empty"
  expect 0 mkfs.betr -q -s 64M quiet.img
  [ ! -s out ] || fail "-q prints"
  expect 0 mkfs.betr -s 64M --json -U $uuid -L json json.img
  python3 -c "
import json, sys
plan = json.load(open('out'))
assert plan['schema'] == 'betr.mkfs' and plan['version'] == 1, plan
assert plan['uuid'] == '$uuid' and plan['label'] == 'json' and plan['size'] == 64 << 20, plan
assert plan['log_size'] == 4 << 20 and plan['node_size'] == 4 << 20, plan"
  expect 0 mkfs.betr -n -s 16M --json small.img
  python3 -c "
import json
assert json.load(open('out'))['node_size'] == 1 << 20"
}

refuses_to_overwrite() {
  cp disk.img before.img
  expect 3 mkfs.betr -s 64M disk.img
  said "mkfs.betr: disk.img: betr is on it \(magic at 0\); -f overwrites it"
  cmp disk.img before.img || fail "a refusal changed the image"
  expect 0 mkfs.betr -f -L second disk.img
  printed "  overwrites   betr \(magic at 0\)"
  truncate -s 64M ext.img
  printf '\123\357' | dd of=ext.img bs=1 seek=$((1024 + 56)) conv=notrunc status=none
  expect 3 mkfs.betr ext.img
  said "mkfs.betr: ext.img: ext2 is on it .*"
  expect 0 mkfs.betr -q -f ext.img
  # What is not recognised is in nobody's way; a smaller size is taken.
  head -c 2M /dev/urandom >noise.img
  expect 0 mkfs.betr -q -s 32M noise.img
  expect 0 mkfs.betr -q -f -s 16M noise.img
  [ "$(stat -c %s noise.img)" = $((16 << 20)) ] || fail "the image did not shrink"
  expect 0 betrcp -i noise.img --list
}

only_says_with_n() {
  expect 0 mkfs.betr -n -s 64M none.img
  printed "none.img: new file, 64 MiB"
  said "mkfs.betr: dry run: nothing was changed"
  [ ! -e none.img ] || fail "-n made a file"
  cp disk.img before.img
  expect 3 mkfs.betr -n disk.img
  expect 0 mkfs.betr -n -f disk.img
  cmp disk.img before.img || fail "-n changed the image"
}

knows_wrong_options() {
  expect 2 mkfs.betr
  said "mkfs.betr: IMAGE is required"
  said "Try 'mkfs.betr --help'."
  expect 2 mkfs.betr none.img
  said "mkfs.betr: none.img: -s must give the size of a new image"
  expect 2 mkfs.betr -s 64KB none.img
  expect 2 mkfs.betr -s 64M --node-size 100 none.img
  said "mkfs.betr: node size 100 B: must be 512 B to 16 MiB"
  expect 2 mkfs.betr -s 64M --basement-size 8M none.img
  expect 2 mkfs.betr -s 64M --fanout 2 none.img
  said "mkfs.betr: fanout 2: must be 4 to 256"
  expect 2 mkfs.betr -s 64M --log-size 1K none.img
  expect 2 mkfs.betr -s 64K none.img
  said "mkfs.betr: 64 KiB is too small: with nodes of 64 KiB and a log of 64 KiB an image has at least .*"
  expect 2 mkfs.betr -s 16M --node-size 4M none.img
  said "mkfs.betr: 16 MiB is too small: with nodes of 4 MiB and a log of 1 MiB an image has at least .*"
  expect 2 mkfs.betr -s 64M --compress brotli none.img
  expect 2 mkfs.betr -s 64M -U no-uuid none.img
  expect 2 mkfs.betr -s 64M -L "$(printf '%065d' 0)" none.img
  expect 2 mkfs.betr -s 64M -O quotas none.img
  said "mkfs.betr: -O: quotas: no such feature; \"-O list\" prints those there are"
  expect 2 mkfs.betr -s 64M -d . --tar x none.img
  expect 2 env SOURCE_DATE_EPOCH=yesterday mkfs.betr -s 64M none.img
  expect 0 mkfs.betr -O list
  printed "format 1.0 has no optional features"
  [ ! -e none.img ] || fail "a wrong command line made a file"
  expect 1 mkfs.betr -s 64M .
  expect 1 mkfs.betr -s 64M no/such/directory.img
  expect 1 mkfs.betr -s 64M -d no-such-directory none.img
  [ ! -e none.img ] || fail "a failure left a file"
  expect 1 mkfs.betr -s 64M --tar no-such-file none.img
  expect 1 mkfs.betr -s 64M --tar /dev/null none.img
  said "mkfs.betr: make: archive: Unrecognized archive format"
  [ ! -e none.img ] || fail "a failure left a file"
}

says_who_has_the_image() {
  holding disk.img expect 3 mkfs.betr -f disk.img
  said "mkfs.betr: open: disk.img: in use by pid [0-9]+ \(betrcp\) on .* since .*"
}

make_source() {
  mkdir -p source/dir/deep source/empty
  head -c 300000 /dev/urandom >source/random
  seq 100000 >source/dir/numbers
  printf x >source/dir/deep/small
  : >source/dir/deep/empty
  ln -s ../random source/dir/link
  ln source/random source/dir/hard
  mkfifo source/dir/fifo
  truncate -s 20M source/sparse
  printf end >>source/sparse
  chmod 4751 source/dir/numbers
  chmod 1777 source/empty
  touch -h -d '2001-02-03 04:05:06.789012345' source/dir/link source/random
  touch -d '1999-01-01 00:00:00' source/dir
}

fills_from_a_directory() {
  make_source
  expect 0 mkfs.betr -s 256M -d source filled.img
  silent
  grep -q "^  content  " out || fail "no content in $(cat out)"
  expect 0 betrcp -i filled.img -a :/. copy
  diff <(attributes source) <(attributes copy) || fail "attributes differ"
  rm source/dir/fifo copy/dir/fifo
  same_tree source copy
  [ "$(stat -c %i copy/random)" = "$(stat -c %i copy/dir/hard)" ] || fail "a hard link came apart"
  expect 0 mkfs.betr -q -s 256M -d source --all-root root.img
  expect 0 betrcp -i root.img --list -l -R
  [ -z "$(awk '$3 != 0 || $4 != 0' out)" ] || fail "--all-root: $(cat out)"
}

fills_from_an_archive() {
  tar -C source -cf source.tar .
  expect 0 mkfs.betr -q -s 256M --tar source.tar tar.img
  expect 0 betrcp -i tar.img -a :/. from-tar
  same_tree source from-tar
  gzip -k source.tar
  cat source.tar.gz | expect 0 mkfs.betr -q -s 256M --tar - stdin.img
  expect 0 betrcp -i stdin.img -a :/. from-stdin
  same_tree source from-stdin
  head -c 100000 source.tar >torn.tar
  expect 1 mkfs.betr -q -s 256M --tar torn.tar torn.img
  [ ! -e torn.img ] || fail "a failure left a file"
}

is_reproducible() {
  local options=(-q -s 256M -U $uuid)
  export SOURCE_DATE_EPOCH=1700000000
  expect 0 mkfs.betr "${options[@]}" -d source one.img
  cp -a source other
  find other -type f -exec cat {} + >/dev/null
  expect 0 mkfs.betr "${options[@]}" -d other two.img
  cmp one.img two.img || fail "the same directory gave different images"
  head -c 256M /dev/urandom >three.img
  expect 0 mkfs.betr "${options[@]}" -d source three.img
  cmp one.img three.img || fail "what was in the file before shows"
  expect 0 mkfs.betr "${options[@]}" --tar source.tar four.img
  expect 0 mkfs.betr "${options[@]}" --tar source.tar five.img
  cmp four.img five.img || fail "the same archive gave different images"
  expect 0 env SOURCE_DATE_EPOCH=1 mkfs.betr "${options[@]}" -d source six.img
  ! cmp -s one.img six.img || fail "SOURCE_DATE_EPOCH does not show"
  unset SOURCE_DATE_EPOCH
}

runs_out_of_space() {
  head -c 40M /dev/urandom >source/large
  expect 1 mkfs.betr -q -s 24M -d source full.img
  said "mkfs.betr: make: .*[Nn]o space.*"
  [ ! -e full.img ] || fail "a failure left a file"
}

makes_an_image
refuses_to_overwrite
only_says_with_n
knows_wrong_options
says_who_has_the_image
fills_from_a_directory
fills_from_an_archive
is_reproducible
runs_out_of_space
