#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Names in archives of tar(1) and for it: of files that are sparse, in paths that are long and not UTF-8; of extended
# attributes, which tar(1) and libarchive escape in different ways.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 64M disk.img

# names DIRECTORY: of all that is in it, with sizes.
names() {
  (cd "$1" && find . -type f -printf '%p %s\n' | LC_ALL=C sort)
}

xattrs() { # <directory>
  (cd "$1" && getfattr -R -d -m '^user\.' -e hex .)
}

unpack() { # <archive> <directory>
  mkdir "$2"
  tar --warning=no-unknown-keyword --xattrs -C "$2" -xf "$1"
}

# A sparse file has its name in a field of its own.
sparse_files() {
  local latin=$'caf\xe9' long
  long=$(printf '%090d/%090d' 1 2)
  mkdir -p "source/$long" "source/$long/$latin"
  truncate -s 1M "source/$long/file" "source/$long/$latin/file" "source/$long/$latin/$latin"
  printf x | dd of="source/$long/$latin/file" bs=1 seek=70000 conv=notrunc status=none
  truncate -s 100M source/large
  expect 0 betrcp -a source :/
  expect 0 betrcp --tar :/source ours.tar
  [ "$(stat -c %s ours.tar)" -lt 100000 ] || fail "holes were written"
  unpack ours.tar unpacked
  diff <(names source) <(names unpacked) || fail "names in an archive for tar"
  cmp "source/$long/$latin/file" "unpacked/$long/$latin/file" || fail "content in an archive for tar"
  expect 0 betrcp --tar ours.tar :/ours
  expect 0 betrcp -a :/ours .
  diff <(names source) <(names ours) || fail "names in an archive of ours"
  cmp "source/$long/$latin/file" "ours/$long/$latin/file" || fail "content in an archive of ours"
}

extended_attributes() {
  local name
  mkdir noted
  echo 1 >noted/file
  if ! setfattr -n user.plain -v 1 noted/file; then
    echo "no extended attributes here"
    return
  fi
  for name in 'a b' a=b 'a%b' '%41' '%3D' '%253D' $'caf\xc3\xa9' $'l\xe9' $'new\nline' '=' '%'; do
    setfattr -n "user.$name" -v "of $name" noted/file
  done
  expect 0 betrcp -a noted :/
  expect 0 betrcp --tar :/noted ours.tar
  unpack ours.tar noted-unpacked
  diff <(xattrs noted) <(xattrs noted-unpacked) || fail "attributes in an archive for tar"
  expect 0 betrcp --tar ours.tar :/noted-ours
  tar --format=pax --xattrs -C noted -cf theirs.tar .
  expect 0 betrcp --tar theirs.tar :/noted-theirs
  expect 0 betrcp -a :/noted-ours :/noted-theirs .
  diff <(xattrs noted) <(xattrs noted-ours) || fail "attributes in an archive of ours"
  diff <(xattrs noted) <(xattrs noted-theirs) || fail "attributes in an archive of tar"
}

sparse_files
extended_attributes
