#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp -a: names of one file are links again, and of no other file, whatever took the first one's place meanwhile.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 16M disk.img

# same_content FILE TEXT
same_content() {
  [ "$(cat "$1")" = "$2" ] || fail "$1: not \"$2\" but \"$(cat "$1")\""
}

# The directories x and y are copied into one, which already exists: what is in x comes first.
copies_both_ways() { # <number>
  mkdir "out-$1" "cp-$1"
  expect 0 betrcp -a x y :/"$1"
  expect 0 betrcp -a ":/$1/x/." ":/$1/y/." "out-$1"
  expect 0 betrcp --mkdir "merged-$1"
  expect 0 betrcp -a x/. y/. ":/merged-$1"
  expect 0 betrcp -a ":/merged-$1" .
  cp -a x/. "cp-$1"
  cp -a y/. "cp-$1"
  same_tree "cp-$1" "out-$1"
  same_tree "cp-$1" "merged-$1"
}

# The first copy's name is another file when the second one is to be linked.
first_copy_is_replaced() {
  mkdir x y
  echo INODE1 >x/f
  ln x/f y/g
  echo other >y/f
  expect 0 betrcp --mkdir replaced
  copies_both_ways replaced
  same_content out-replaced/g INODE1
  same_content merged-replaced/g INODE1
  rm -r x y
}

# It has two names, and loses one.
first_copy_keeps_a_name() {
  mkdir x y
  echo INODE1 >x/f
  ln x/f x/e
  ln x/f y/g
  echo other >y/e
  expect 0 betrcp --mkdir kept
  copies_both_ways kept
  [ merged-kept/f -ef merged-kept/g ] || fail "two files of one"
  rm -r x y
}

# The second name is the first copy's.
links_take_their_own_name() {
  mkdir x y
  echo data >x/f
  ln x/f y/f
  expect 0 betrcp --mkdir own
  copies_both_ways own
  same_content out-own/f data
  rm -r x y
}

# Two directories of one name.
merges_directories_of_one_name() {
  mkdir -p a/n b/n
  echo INODE1 >a/n/f
  ln a/n/f b/n/g
  echo other >b/n/f
  expect 0 betrcp -a a b :/
  mkdir one
  expect 0 betrcp -a :/a/n :/b/n one
  same_content one/n/g INODE1
  same_content one/n/f other
}

# Links that are copied again over what the copy before has made.
copies_over_itself() {
  mkdir x
  echo data >x/f
  ln x/f x/g
  ln -s f x/s
  ln x/s x/t
  mkfifo x/p
  ln x/p x/q
  expect 0 betrcp -a x :/again
  expect 0 betrcp -a :/again again
  expect 0 betrcp -a :/again/. again
  diff <(attributes x) <(attributes again) || fail "attributes differ"
  [ again/f -ef again/g ] || fail "two files of one"
  expect 0 betrcp -a again/. :/again
  expect 0 fsck.betr -n disk.img
  expect 0 betrcp --list -l again
  [ "$(grep -c " 2 " out)" = 6 ] || fail "links: $(cat out)"
}

first_copy_is_replaced
first_copy_keeps_a_name
links_take_their_own_name
merges_directories_of_one_name
copies_over_itself
