#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp and mkfs.betr -d: trees whose paths on the host are longer than a system call takes, and that have more
# levels than a process may have files open.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 64M disk.img

# make_deep DIRECTORY LEVELS NAME: directories in each other, with a file of two names in the last one.
make_deep() {
  python3 - "$@" <<'PYTHON'
import os
import sys

top, levels, name = sys.argv[1:]
os.mkdir(top)
os.chdir(top)
for _ in range(int(levels)):
    os.mkdir(name)
    os.chdir(name)
with open("file", "w") as file:
    file.write("leaf")
os.link("file", "link")
os.mkfifo("pipe")
os.symlink("file", "symlink")
for what, attribute in (("file", "user.x"), ("symlink", "trusted.x"), ("pipe", "trusted.x"), (".", "user.x")):
    try:
        os.setxattr(what, attribute, b"1", follow_symlinks=False)
    except OSError:
        print("none on", what)
os.utime(".", (1, 1))
PYTHON
}

# check_deep DIRECTORY LEVELS NAME: the same is there.
check_deep() {
  python3 - "$@" <<'PYTHON' || fail "$1 is not what was copied"
import os
import sys

top, levels, name = sys.argv[1:]
os.chdir(top)
for level in range(int(levels)):
    assert os.listdir(".") == [name], (level, os.listdir("."))
    os.chdir(name)
assert open("file").read() == "leaf"
assert os.path.samefile("file", "link")
assert os.readlink("symlink") == "file"
assert os.stat(".").st_mtime == 1, os.stat(".")
for line in open(os.path.join(os.environ["work"], "attributes")):
    what = line.split()[0]
    attributes = [one for one in os.listxattr(what, follow_symlinks=False) if one.endswith(".x")]
    assert attributes == line.split()[1:], (what, attributes, line)
PYTHON
}

# attributes_of DIRECTORY LEVELS NAME: what could be set, into the file `attributes`.
attributes_of() {
  python3 - "$@" >attributes <<'PYTHON'
import os
import sys

top, levels, name = sys.argv[1:]
os.chdir(top)
for level in range(int(levels)):
    os.chdir(name)
for what in "file", "symlink", "pipe", ".":
    print(what, *(one for one in os.listxattr(what, follow_symlinks=False) if one.endswith(".x")))
PYTHON
}

# both_ways LEVELS NAME
both_ways() {
  local levels=$1 name=$2
  make_deep deep "$levels" "$name"
  attributes_of deep "$levels" "$name"
  mkdir o
  expect 0 betrcp -a "$PWD/deep/." :/
  expect 0 betrcp -a :/ "$PWD/o"
  check_deep o "$levels" "$name"
  # Once more, over what is there.
  expect 0 betrcp -a "$PWD/deep/." :/
  expect 0 betrcp -a :/ "$PWD/o"
  check_deep o "$levels" "$name"
  expect 0 mkfs.betr -q -s 64M -d "$PWD/deep" made.img
  rm -r o
  mkdir o
  expect 0 betrcp -a made.img:/ "$PWD/o"
  check_deep o "$levels" "$name"
  expect 0 fsck.betr -n disk.img
  expect 0 betrcp --remove "$name"
  rm -r deep o made.img
}

export work # of the file that check_deep reads
both_ways 20 "$(printf 'D%.0s' {1..203})"
(
  ulimit -n 60
  both_ways 300 d
)

# What is deeper than a path in an image may be long is told of, and the rest is copied; a file system of which
# something is missing is not made.
goes_on_behind_what_is_too_deep() {
  make_deep deep 24 "$(printf 'D%.0s' {1..203})"
  mkdir deep/z
  echo last >deep/z/file
  expect 1 betrcp -r deep :/
  said "betrcp: import: deep/D*/.*: File name too long"
  [ "$(wc -l <err)" = 1 ] || fail "$(cut -c1-300 err)"
  expect 0 betrcp --cat deep/z/file
  printed last
  expect 0 fsck.betr -n disk.img
  expect 1 mkfs.betr -q -s 64M -d deep made.img
  [ ! -e made.img ] || fail "an image was made of a part"
  rm -r deep
}
goes_on_behind_what_is_too_deep
