#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Access control lists come and go with archives, and the permission bits say the same: tar(1) and betrcp are compared.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

skip() {
  echo "skipped: $*"
  exit 77
}

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 64M disk.img

# What stat and getfacl tell of all that is in a directory.
lists() { # <directory>
  (cd "$1" && find . -mindepth 1 -printf '%p %M\n' | sort && getfacl -Rn --absolute-names . | grep -v '^# file: \.$')
}

same_lists() { # <directory> <directory>
  diff <(lists "$1") <(lists "$2") || fail "$1 and $2 differ"
}

make_tree() { # <directory>
  mkdir -p "$1/directory" "$1/both" "$1/plain-default"
  echo s >"$1/secret"
  chmod 640 "$1/secret"
  setfacl -m u:1000:r "$1/secret"
  chmod 600 "$1/secret" # the mask, while the group's entry goes on to have r
  echo w >"$1/wide"
  chmod 600 "$1/wide"
  setfacl -m u:1000:rwx,u:3000000000:r,g:0:rw,g:1234:--- "$1/wide"
  setfacl -d -m u:1000:rwx,g:1234:r-x,o::--- "$1/directory"
  setfacl -m u:1000:rwx "$1/both"
  setfacl -d -m u:1000:--- "$1/both"
  setfacl -d -m u::rwx,g::r-x,o::--- "$1/plain-default"
  echo p >"$1/plain"
  chmod 2751 "$1/plain"
}

mode_of() { # <path>: as the image has it
  betrcp --list -l "$1" | cut -d ' ' -f 1
}

from_tar() {
  local options
  for options in --acls "--acls --xattrs" "--acls --numeric-owner"; do
    tar $options -C tree -cf tree.tar .
    expect 0 betrcp --tar tree.tar :/from
    silent
    [ "$(mode_of from/secret)" = -rw------- ] || fail "tar $options: $(mode_of from/secret)"
    rm -rf from
    expect 0 betrcp -a :/from from
    same_lists tree from
    expect 0 betrcp --remove from
  done
  expect 0 mkfs.betr -q -s 64M --tar tree.tar made.img
  expect 0 betrcp -i made.img -a :/. made
  same_lists tree made
}

to_tar() {
  cp -a tree more
  head -c 3000000 /dev/urandom >more/blocks
  setfacl -m u:1000:rw more/blocks
  echo l >more/large
  setfacl -m u:3000000000:r,u:3000000001:rwx,g:4294967294:--- more/large
  expect 0 betrcp -a more :/
  expect 0 betrcp --tar :/more out.tar
  [ $(($(stat -c %s out.tar) % 10240)) = 0 ] || fail "the archive has $(stat -c %s out.tar) bytes"
  ! grep -aq 'xattr.system.posix_acl_default' out.tar || fail "a list went out as an attribute, too"
  mkdir unpacked
  tar --acls -C unpacked -xpf out.tar 2>/dev/null
  same_tree more unpacked
  same_lists more unpacked
  # Who knows nothing of lists sees the masks.
  mkdir without
  tar -C without -xpf out.tar 2>/dev/null
  diff <(cd more && find . -printf '%p %M\n' | sort) <(cd without && find . -printf '%p %M\n' | sort) || fail "modes"
  expect 0 betrcp --tar out.tar :/back
  expect 0 betrcp --tar :/back back.tar
  cmp out.tar back.tar
  tar --acls --xattrs -C unpacked -cf by-tar.tar .
  expect 0 betrcp --tar by-tar.tar :/by-tar
  expect 0 betrcp -a :/back :/by-tar .
  same_lists more back
  same_lists more by-tar
  command -v bsdtar >/dev/null || return 0
  mkdir by-bsdtar
  rm more/large # its numbers are too large for libarchive
  bsdtar -C by-bsdtar --acls -xpf out.tar
  rm by-bsdtar/large
  same_lists more by-bsdtar
}

# pax_tar FILE MODE LIST: an archive of one file, "file".
pax_tar() {
  python3 - "$@" <<'PYTHON'
import io, sys, tarfile
name, mode, text = sys.argv[1:]
with tarfile.open(name, "w", format=tarfile.PAX_FORMAT) as archive:
    entry = tarfile.TarInfo("file")
    entry.mode = int(mode, 8)
    entry.pax_headers = {"SCHILY.acl.access": text}
    archive.addfile(entry)
PYTHON
}

list_of_file() { # what the image has
  rm -rf file
  betrcp -a :/file file
  getfacl -cnE file | sed '/^$/d' | paste -sd,
}

imports() { # MODE LIST MODE-IN-IMAGE LIST-IN-IMAGE
  pax_tar one.tar "$1" "$2"
  expect 0 betrcp --tar one.tar :/
  [ "$(mode_of file)" = "$3" ] || fail "$2: $(mode_of file)"
  [ "$(list_of_file)" = "$4" ] || fail "$2: $(list_of_file)"
}

# As other programs write lists.
from_others() {
  local list=user::rw-,user:7:r--,group::r--,mask::---,other::---
  # libarchive's header has the bits of the group's own entry.
  imports 640 $list -rw------- $list
  imports 600 $list -rw------- $list
  # star has the number behind; names stand for this system's.
  imports 600 user::rw-,user:nobody-knows:r--:7,group::r--,mask::---,other::--- -rw------- $list
  imports 600 user::rw-,user:daemon:r--,group::r--,mask::---,other::--- -rw------- \
    "user::rw-,user:$(id -u daemon):r--,group::r--,mask::---,other::---"
  # Without a mask everything counts.
  imports 600 user::rw-,user:7:-w-,group::r--,other::--- -rw-rw---- \
    user::rw-,user:7:-w-,group::r--,mask::rw-,other::---
  # What says no more than the bits is not kept.
  imports 600 user::rw-,group::r--,other::--- -rw-r----- user::rw-,group::r--,other::---
  pax_tar one.tar 600 user::rw-,user:nobody-knows:r--,group::r--,mask::---,other::---
  expect 1 betrcp --tar one.tar :/
  said "betrcp: import: .*file: without its access control list: this system has no user \"nobody-knows\""
}

# A directory that had a list has that of the archive, or none.
onto_directories() {
  mkdir -p old/d new/d
  setfacl -m u:1000:rwx old/d
  chmod 700 new/d
  expect 0 betrcp -a old/d :/
  tar -C new -cf new.tar d
  expect 0 betrcp --tar new.tar :/
  expect 0 betrcp -a :/d merged/
  same_lists new merged
  # So it is without an archive.
  expect 0 betrcp -a old/d :/
  expect 0 betrcp -a :/d merged/
  same_lists old merged
  expect 0 betrcp -a new/d :/
  rm -r merged/d
  expect 0 betrcp -a :/d merged/
  same_lists new merged
}

command -v setfacl >/dev/null && command -v getfacl >/dev/null || skip "there is no setfacl"
touch probe
setfacl -m u:1000:r probe 2>/dev/null || skip "no access control lists in $PWD"
mkdir merged
make_tree tree
from_tar
to_tar
from_others
onto_directories
expect 0 fsck.betr -n -q disk.img
