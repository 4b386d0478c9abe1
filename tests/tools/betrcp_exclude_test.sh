#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp --exclude, and that of mkfs.betr: names are left out in each direction, of trees and archives alike, and
# --delete leaves them alone.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 64M disk.img

mkdir -p src/{build/deep,lib/build,lib/.git/refs,lib/deep/er}
for file in main.c main.o build/main.o build/deep/file lib/build/x lib/.git/refs/head lib/a.c lib/a.o lib/deep/build \
  lib/deep/er/notes; do
  echo "$file" >"src/$file"
done
ln src/main.c lib.o && mv lib.o src/lib.o
cat >patterns <<'EOT'
# what is made

*.o
.git/
/lib/**/notes
EOT

# What stays: "build/" leaves out the directories of that name, not the file.
cp -a src wanted
rm -r wanted/{build,lib/build,lib/.git,lib/deep/er/notes,main.o,lib.o,lib/a.o}
excluding=(--exclude build/ --exclude-from patterns)

is_wanted() {
  same_tree wanted "$1"
}

leaves_out() {
  expect 0 betrcp --json -a "${excluding[@]}" src :/copy
  printed ' *"excluded": 7,'
  expect 0 betrcp -a :/copy out-of-image
  is_wanted out-of-image
  expect 0 betrcp -v -a src :/all
  expect 0 betrcp -v -a "${excluding[@]}" :/all partly
  said '.* files, .*, 7 excluded, in .*'
  is_wanted partly
  expect 0 betrcp -r "${excluding[@]}" src/. :/inside
  expect 0 betrcp -r :/inside/. inside
  is_wanted inside
  # The name that is given is copied, whatever it is.
  expect 0 betrcp -a --exclude 'm*' --exclude src src src/main.o :/
  expect 0 betrcp --list
  diff out <(printf '%s\n' all copy inside main.o src) || fail "not what was given"
}

leaves_out_of_new_images() {
  expect 0 mkfs.betr -q -s 16M "${excluding[@]}" -d src new.img
  expect 0 betrcp -a new.img:/. of-directory
  is_wanted of-directory
  tar -cf src.tar -C src ./main.c .
  expect 0 mkfs.betr -q -s 16M "${excluding[@]}" --tar src.tar tar.img
  expect 0 betrcp -a tar.img:/. of-archive
  is_wanted of-archive
  expect 2 mkfs.betr -q -s 16M --exclude x none.img
  said "mkfs.betr: --exclude: only with -d or --tar"
  expect 2 mkfs.betr -q -s 16M --exclude / -d src none.img
  expect 1 mkfs.betr -q -s 16M --exclude-from nosuch -d src none.img
  said "mkfs.betr: --exclude-from: nosuch: No such file or directory"
  [ ! -e none.img ] || fail "an image was made"
}

leaves_out_of_archives() {
  tar -cf all.tar -C src ./main.c .
  expect 0 betrcp --tar "${excluding[@]}" all.tar :/unpacked
  silent
  expect 0 betrcp -a :/unpacked unpacked
  is_wanted unpacked
  expect 0 betrcp --tar "${excluding[@]}" :/all part.tar
  mkdir from-archive
  tar -xf part.tar -C from-archive
  is_wanted from-archive
  # Its content is that of a name that is left out.
  tar -cf links.tar -C src ./lib.o ./main.c ./build
  expect 1 betrcp --tar "${excluding[@]}" links.tar :/links
  said "betrcp: import: links.tar: ./main.c: link to ./lib.o: lib.o: No such file or directory"
}

removes_no_excluded() {
  expect 0 betrcp --clone all mirror
  rm -r src/build src/lib/build src/lib/deep src/lib/a.c
  expect 0 betrcp -auT --delete "${excluding[@]}" src :/mirror
  expect 0 betrcp --diff all mirror
  # Of the directory that is gone nothing is kept.
  diff out <(printf '%s\n' 'D lib/a.c' 'D lib/deep/') || fail "not what was to be removed"
}

refuses() {
  expect 2 betrcp -a --exclude / src :/x
  said "betrcp: --exclude: pattern '/': no name is like that.*"
  echo a/../b >>patterns
  expect 2 betrcp --tar --exclude-from patterns all.tar :/x
  said "betrcp: --exclude-from: patterns: line 6: pattern 'a/../b': no name is like that.*"
  expect 2 betrcp -a --exclude-from missing src :/x
  said "betrcp: --exclude-from: missing: No such file or directory.*"
  expect 2 betrcp -a --exclude-from . src :/x
  said "betrcp: --exclude-from: \\.: Is a directory.*"
  expect 2 betrcp --clone --exclude a all :/x
  said "betrcp: --exclude: only for copies and --tar.*"
  expect 0 betrcp --list
  ! grep -qx x out || fail "something was copied"
}

leaves_out
leaves_out_of_new_images
leaves_out_of_archives
removes_no_excluded
refuses
expect 0 fsck.betr disk.img
