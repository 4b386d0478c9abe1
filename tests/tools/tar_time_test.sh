#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times before 1970 with a fraction, between tar(1) and an image. What lies less than a second before 1970 comes out of
# an archive as if it lay as long behind, and goes into one as a second before: libarchive has no sign for it.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img TZ=UTC
mkfs.betr -q -s 16M disk.img

# times DIRECTORY: of what is in it, by seconds since 1970.
times() { (cd "$1" && stat -c '%n %.9Y' ./*); }

make_files() { # <directory>
  mkdir "$1"
  touch -d '1969-12-31 23:59:55.25' "$1/five"
  touch -d '1969-12-31 23:59:58.999999999' "$1/one"
  touch -d '1969-12-31 23:59:58' "$1/two"
  touch -d '1950-01-01 00:00:00.5' "$1/old"
  touch -d '1970-01-01 00:00:00.75' "$1/early"
  touch -d '2002-03-04 05:06:07.25' "$1/new"
}

reads_archives_of_tar() {
  tar --format=pax -cf theirs.tar -C source .
  expect 0 betrcp --tar theirs.tar :/theirs
  expect 0 betrcp -a :/theirs theirs
  diff <(times source) <(times theirs) || fail "times of an archive of tar"
}

writes_archives_for_tar() {
  expect 0 betrcp -a source :/
  expect 0 betrcp --tar :/source ours.tar
  mkdir unpacked
  tar -C unpacked -xf ours.tar 2>/dev/null
  diff <(times source) <(times unpacked) || fail "times of an archive for tar"
  expect 0 betrcp --tar ours.tar :/ours
  expect 0 betrcp -a :/ours ours
  diff <(times source) <(times ours) || fail "times of an archive of ours"
}

has_no_sign_for_the_last_second() {
  mkdir last
  touch -d '1969-12-31 23:59:59.75' last/file
  tar --format=pax -cf last.tar -C last file
  expect 0 betrcp --tar last.tar :/last
  expect 0 betrcp -a :/last last-in
  [ "$(times last-in)" = "./file 0.250000000" ] || fail "$(times last-in)"
  expect 0 betrcp -aT last :/last
  expect 0 betrcp --tar :/last last-ours.tar
  mkdir last-out
  tar -C last-out -xf last-ours.tar 2>/dev/null
  [ "$(times last-out)" = "./file -1.000000000" ] || fail "$(times last-out)"
}

make_files source
reads_archives_of_tar
writes_archives_for_tar
has_no_sign_for_the_last_second
