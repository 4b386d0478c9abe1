#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mkfs.betr: images from nothing, from a directory, from an archive; what it refuses; the same bytes each time.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

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
assert plan['log_size'] == 4 << 20 and plan['node_size'] == 256 << 10, plan"
  expect 0 mkfs.betr -n -s 16M --json small.img
  python3 -c "
import json
assert json.load(open('out'))['node_size'] == 64 << 10"
  expect 0 mkfs.betr -n -s 16M --node-size 16K --json small.img
  python3 -c "
import json
assert json.load(open('out'))['basement_size'] == 16 << 10"
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
  head -c 2M /dev/urandom >noise.img
  expect 3 mkfs.betr -q -s 32M noise.img
  said "mkfs.betr: noise.img: data of an unknown kind is on it \(from byte 0 on\); -f overwrites it"
  expect 0 mkfs.betr -f -s 32M noise.img
  printed "  overwrites   data of an unknown kind \(from byte 0 on\)"
  expect 0 mkfs.betr -q -f -s 16M noise.img
  [ "$(stat -c %s noise.img)" = $((16 << 20)) ] || fail "the image did not shrink"
  expect 0 betrcp -i noise.img --list
}

# What can be repaired, or what nobody here knows, is somebody's all the same.
refuses_what_may_be_something() {
  cp disk.img y.img
  dd if=/dev/zero of=y.img bs=4096 count=2 conv=notrunc status=none
  expect 3 mkfs.betr y.img
  said "mkfs.betr: y.img: betr is on it \(magic at $(((64 << 20) - 4096))\); -f overwrites it"
  expect 1 fsck.betr -y y.img
  expect 0 fsck.betr y.img
  local at
  for at in 0 1040 32768 65588 $(((16 << 20) - 1)); do # ELF, tar, ...; minix; JFS, UDF; ReiserFS; the last byte
    rm -f some.img
    truncate -s 16M some.img
    printf '?' | dd of=some.img bs=1 seek=$at conv=notrunc status=none
    cp some.img before.img
    expect 3 mkfs.betr -s 64M some.img
    said "mkfs.betr: some.img: data of an unknown kind is on it \(from byte $at on\); -f overwrites it"
    cmp some.img before.img || fail "a refusal changed the image"
  done
  # Also what is smaller than a block, or behind the last whole one.
  echo "dear diary" >diary
  expect 3 mkfs.betr -s 64M diary
  said "mkfs.betr: diary: data of an unknown kind is on it \(from byte 0 on\); -f overwrites it"
  truncate -s 100000 tail.img
  echo "dear diary" >>tail.img
  expect 3 mkfs.betr -s 64M tail.img
  expect 3 mkfs.betr -s 64M --json tail.img
  expect 0 mkfs.betr -n -f -s 64M --json tail.img
  python3 -c "
import json
assert json.load(open('out'))['overwrites'] == [{'name': 'unknown', 'offset': 100000}]"
  expect 0 mkfs.betr -q -f -s 64M tail.img
  expect 0 fsck.betr -q --data tail.img
  # Nothing but zeros is nothing.
  head -c 16M /dev/zero >zero.img
  expect 0 mkfs.betr -q zero.img
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
  printed "  uuid         random"
  expect 0 mkfs.betr -n -f --json disk.img
  python3 -c "import json; assert json.load(open('out'))['uuid'] is None"
  expect 0 mkfs.betr -n -f -U $uuid disk.img
  printed "  uuid         $uuid"
}

# as_real CODE OPTION...: with -n and without it fails with that code and the same words, and says nothing else.
as_real() {
  local wanted=$1
  shift
  expect "$wanted" mkfs.betr "$@"
  [ ! -s out ] || fail "mkfs.betr $*: prints a plan that it cannot begin: $(cat out)"
  mv err real.err
  expect "$wanted" mkfs.betr -n "$@"
  diff real.err err || fail "mkfs.betr -n $*: other words"
  [ ! -s out ] || fail "mkfs.betr -n $*: prints a plan that it cannot begin: $(cat out)"
}

# reading IMAGE COMMAND...: runs the command while another process has the lock of a reader.
reading() {
  local image=$1
  shift
  mkfifo locked go
  python3 -c "
import fcntl
with open('$image', 'rb') as image:
    fcntl.lockf(image, fcntl.LOCK_SH)
    open('locked', 'w').close()
    open('go').read()" &
  local reader=$!
  cat locked
  "$@"
  : >go
  wait $reader
  rm locked go
}

fails_with_n_as_without() {
  as_real 1 -s 64M -d no-such-directory none.img
  said "mkfs.betr: make: no-such-directory: No such file or directory"
  as_real 1 -s 64M -d disk.img none.img
  said "mkfs.betr: make: disk.img: Not a directory"
  as_real 1 -s 64M --tar no-such-file none.img
  said "mkfs.betr: make: no-such-file: No such file or directory"
  as_real 1 -s 64M --tar . none.img
  said "mkfs.betr: make: .: Is a directory"
  as_real 1 -s 64M no/such/directory.img
  said "mkfs.betr: make: no/such/directory.img: create: No such file or directory"
  as_real 1 -s 64M disk.img/none.img
  ln -s nowhere link.img
  as_real 1 -s 64M link.img
  said "mkfs.betr: make: link.img: is a symbolic link to nothing: File exists"
  as_real 2 none.img
  [ ! -e none.img ] || fail "a failure left a file"
  holding disk.img expect 3 mkfs.betr -n -f disk.img
  said "mkfs.betr: open: disk.img: in use by pid [0-9]+ \(betrcp\) on .* since .*"
  reading disk.img as_real 3 -f disk.img
  said "mkfs.betr: open: disk.img: in use for reading by pid [0-9]+ \\(python.*\\)"
  mkdir some
  expect 0 mkfs.betr -n -s 64M -d some none.img
  printed "  filled from  directory some"
  mkfifo pipe.tar
  expect 0 timeout 10 mkfs.betr -n -s 64M --tar pipe.tar none.img
  printed "  filled from  archive pipe.tar"
  expect 0 mkfs.betr -n -s 64M --tar - --json none.img
  python3 -c "import json; assert json.load(open('out'))['filled_from'] == {'kind': 'archive', 'path': '-'}"
}

knows_wrong_options() {
  expect 2 mkfs.betr
  said "mkfs.betr: IMAGE is required"
  said "Try 'mkfs.betr --help'."
  expect 2 mkfs.betr --bogus
  said "mkfs.betr: --bogus: no such option"
  expect 2 mkfs.betr none.img
  said "mkfs.betr: none.img: -s must give the size of a new image"
  expect 2 mkfs.betr -s 64KB none.img
  expect 2 mkfs.betr -s 64M --node-size 100 none.img
  said "mkfs.betr: node size 100 B: must be 512 B to 16 MiB"
  expect 2 mkfs.betr -s 64M --basement-size 8M none.img
  expect 2 mkfs.betr -s 64M --fanout 2 none.img
  said "mkfs.betr: fanout 2: must be 4 to 256"
  expect 2 mkfs.betr -s 64M --log-size 1K none.img
  expect 2 mkfs.betr -s 64M --log-size 65535 none.img
  said "mkfs.betr: log size 65535 bytes: must be 64 KiB to .*"
  expect 2 mkfs.betr -s 64K none.img
  said "mkfs.betr: 64 KiB is too small: with nodes of 64 KiB and a log of 64 KiB an image has at least .*"
  expect 2 mkfs.betr -s 1 none.img
  said "mkfs.betr: 1 B is too small: with nodes of .*"
  expect 2 mkfs.betr -s 16M --node-size 4M none.img
  said "mkfs.betr: 16 MiB is too small: with nodes of 4 MiB and a log of 64 KiB an image has at least .*"
  expect 2 mkfs.betr -s 1M none.img
  least=$(sed -n 's/.* an image has at least .* (\([0-9]*\) bytes).*/\1/p' err)
  expect 2 mkfs.betr -s $((least - 1)) none.img
  expect 0 mkfs.betr -q -s "$least" least.img
  expect 0 fsck.betr least.img
  rm least.img
  expect 2 mkfs.betr -s 64M --compress brotli none.img
  expect 2 mkfs.betr -s 64M -U no-uuid none.img
  said "mkfs.betr: --uuid: 'no-uuid' is not a uuid"
  expect 2 mkfs.betr -s 64M --fanout abc none.img
  said "mkfs.betr: --fanout: 'abc' is not a number, or not in range"
  expect 2 mkfs.betr -s 64M -L "$(printf '%065d' 0)" none.img
  expect 2 mkfs.betr -s 64M -O quotas none.img
  said "mkfs.betr: -O: quotas: no such feature; \"-O list\" prints those there are"
  expect 2 mkfs.betr -s 64M -O list,quotas none.img
  said "mkfs.betr: -O: \"list\" stands alone"
  expect 2 mkfs.betr -s 64M -O quotas,list none.img
  said "mkfs.betr: -O: \"list\" stands alone"
  expect 2 mkfs.betr -s 64M -d . --tar x none.img
  expect 2 env SOURCE_DATE_EPOCH=yesterday mkfs.betr -s 64M none.img
  expect 0 mkfs.betr -O list
  printed "format 1.0 has no optional features"
  [ ! -e none.img ] || fail "a wrong command line made a file"
  expect 1 mkfs.betr -s 64M .
  expect 1 mkfs.betr -s 64M --tar /dev/null none.img
  said "mkfs.betr: make: /dev/null: archive: Unrecognized archive format"
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
  seq 1000 >no.tar
  expect 1 mkfs.betr -q -s 256M --tar no.tar torn.img
  said "mkfs.betr: make: no.tar: archive: Unrecognized archive format"
  cat no.tar | expect 1 mkfs.betr -q -s 256M --tar - torn.img
  said "mkfs.betr: make: stdin: archive: Unrecognized archive format"
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
  expect 0 mkfs.betr "${options[@]}" -f -d source three.img
  cmp one.img three.img || fail "what was in the file before shows"
  expect 0 mkfs.betr "${options[@]}" --tar source.tar four.img
  expect 0 mkfs.betr "${options[@]}" --tar source.tar five.img
  cmp four.img five.img || fail "the same archive gave different images"
  expect 0 env SOURCE_DATE_EPOCH=1 mkfs.betr "${options[@]}" -d source six.img
  ! cmp -s one.img six.img || fail "SOURCE_DATE_EPOCH does not show"
  unset SOURCE_DATE_EPOCH
}

makes_an_image
refuses_to_overwrite
refuses_what_may_be_something
only_says_with_n
fails_with_n_as_without
knows_wrong_options
says_who_has_the_image
fills_from_a_directory
fills_from_an_archive
is_reproducible
