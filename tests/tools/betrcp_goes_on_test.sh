#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp: what cannot be read on the host is told of, and the rest is copied; what has no place in a copy, too.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 16M disk.img
chmod 755 .

as=()
if [ "$(id -u)" = 0 ]; then
  command -v setpriv >/dev/null || exit 77
  as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  chmod 666 disk.img
fi

# tree: a file and a directory that are denied, with others before and behind.
goes_on_behind_what_is_denied() {
  mkdir -p tree/b-dir tree/d-dir
  echo a >tree/a
  echo b >tree/b
  echo c >tree/c
  echo below >tree/b-dir/below
  echo below >tree/d-dir/below
  chmod 000 tree/b tree/b-dir
  expect 1 "${as[@]}" betrcp -r tree :/
  said "betrcp: import: tree/b: open: Permission denied"
  said "betrcp: import: tree/b-dir: open: Permission denied"
  [ "$(wc -l <err)" = 2 ] || fail "$(cat err)"
  expect 0 betrcp --list -R tree
  diff out <(printf '%s\n' a b-dir c d-dir d-dir/below) || fail "what was copied"
  expect 1 "${as[@]}" betrcp --json -a tree :/again
  python3 -c "import json; d = json.load(open('out')); assert d['unreadable'] == 2, d"
  expect 0 betrcp --list -l again
  printed "d---------.* b-dir"
  printed "d.* d-dir"
  # Named ones; what they would have replaced stays.
  expect 0 "${as[@]}" betrcp -T tree/c :/b
  expect 1 "${as[@]}" betrcp tree/a tree/b tree/c :/
  said "betrcp: import: tree/b: open: Permission denied"
  expect 0 betrcp --cat a b c
  diff out <(printf '%s\n' a c c) || fail "what was copied"
  # A file system of which something is missing is not made.
  mkdir -m 777 theirs
  expect 1 "${as[@]}" mkfs.betr -q -s 16M -d tree theirs/made.img
  said "mkfs.betr: make: tree/b: open: Permission denied"
  [ ! -e theirs/made.img ] || fail "it was made"
}

# Attributes whose values are denied are told of, and their copies stay.
keeps_attributes_that_are_denied() {
  mkdir -m 777 own
  "${as[@]}" mkdir own/directory
  "${as[@]}" touch own/directory/file own/file own/plain
  "${as[@]}" setfattr -n user.kept -v 1 own/file own/directory 2>err || return 0
  expect 0 "${as[@]}" betrcp -auT own :/own
  chmod 200 own/file own/plain
  chmod 000 own/directory
  local round
  for round in 1 2; do
    expect 1 "${as[@]}" betrcp --json -auT own :/own
    said "betrcp: import: own/file: user.kept: getxattr: Permission denied"
    said "betrcp: import: own/directory: open: Permission denied"
    said "betrcp: import: own/directory: user.kept: getxattr: Permission denied"
    [ "$(wc -l <err)" = 3 ] || fail "round $round: $(cat err)"
    printed '.*"unreadable": 3,.*'
    printed '.*"unchanged": 2,.*'
  done
  expect 0 betrcp -a :/own kept
  [ "$(getfattr --only-values -n user.kept kept/file kept/directory)" = 11 ] || fail "attributes are gone"
  [ "$(stat -c %a kept/file kept/plain kept/directory | tr '\n' ' ')" = "200 200 0 " ] || fail "what can be read is old"
  # What the original has lost, too, goes.
  chmod 600 own/file
  setfattr -x user.kept own/file
  expect 1 "${as[@]}" betrcp -auT own :/own
  expect 0 betrcp -auT :/own kept
  [ -z "$(getfattr -d kept/file)" ] || fail "an attribute that the original has lost"
}

# What can be read of a file is copied.
keeps_the_begin_of_a_file() {
  expect 1 betrcp /proc/self/mem tree/a :/
  said "betrcp: import: /proc/self/mem: incomplete: only the first 0 bytes: read: Input/output error"
  expect 0 betrcp --cat mem a
  printed a
}

# A tree of root's, copied by who may make no devices.
without_devices() {
  [ "$(id -u)" = 0 ] && mknod -m 666 probe c 1 3 2>/dev/null || return 0
  mkdir -p system/dev
  mknod system/dev/null c 1 3
  echo config >system/etc
  mkfifo system/pipe
  expect 0 betrcp -a system :/system
  mkdir -m 777 mine
  expect 1 "${as[@]}" betrcp -a :/system mine
  said "betrcp: export: /system/dev/null: mine/system/dev/null: mknod: Operation not permitted"
  [ "$(wc -l <err)" = 1 ] || fail "$(cat err)"
  [ "$(cat mine/system/etc)" = config ] || fail "the file behind it"
  [ -p mine/system/pipe ] || fail "the fifo"
  expect 0 betrcp --remove system
}

# A library that lets a file system know neither owners nor links, and no name with a colon.
makes_poor_host() {
  cc -shared -fPIC -x c -o poor.so - 2>/dev/null <<'CODE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
static int refuse(int error) { errno = error; return -1; }
int fchown(int file, uid_t uid, gid_t gid) { return refuse(EPERM); }
int fchownat(int at, const char *name, uid_t uid, gid_t gid, int flags) { return refuse(EPERM); }
int linkat(int at, const char *first, int to, const char *name, int flags) { return refuse(EPERM); }
int symlinkat(const char *target, int at, const char *name) { return refuse(EPERM); }
int mkdirat(int at, const char *name, mode_t mode) {
  int (*real)(int, const char *, mode_t) = (int (*)(int, const char *, mode_t))dlsym(RTLD_NEXT, "mkdirat");
  return strchr(name, ':') ? refuse(EINVAL) : real(at, name, mode);
}
CODE
}

# As to a medium from another system: all that it can hold is there, and each thing that is not is told of.
goes_on_behind_what_the_host_refuses() {
  makes_poor_host || return 0
  mkdir -p rich/sub/a:b rich/z
  echo content >rich/file
  ln rich/file rich/sub/link
  ln -s file rich/symlink
  echo below >rich/sub/a:b/file
  echo last >rich/z/last
  chmod 640 rich/z/last
  expect 0 betrcp -a rich :/rich
  expect 1 env LD_PRELOAD="$PWD/poor.so" ASAN_OPTIONS=verify_asan_link_order=0 betrcp -a :/rich poor
  said "betrcp: export: /rich/symlink: poor/symlink: symlink: Operation not permitted"
  said "betrcp: export: /rich/sub/a:b: poor/sub/a:b: mkdir: Invalid argument"
  said "betrcp: export: /rich/sub/link: becomes a file of its own: poor/sub/link: link: Operation not permitted"
  if [ "$(id -u)" = 0 ]; then said "betrcp: export: /rich/z/last: poor/z/last: chown: Operation not permitted"; fi
  grep -Ev ": chown:|symlink|a:b|becomes" err && fail "more than that"
  rm -r rich/symlink rich/sub/a:b
  same_tree rich poor
  [ "$(stat -c '%a %Y' poor/z/last)" = "$(stat -c '%a %Y' rich/z/last)" ] || fail "mode and time of what is there"
}

# A directory where a file is to be, and the other way around: as with cp(1), neither gives way, and the rest is copied.
goes_on_behind_what_is_in_the_way() {
  mkdir -p here/a/x here/z there/a there/b
  echo below >here/a/x/below
  echo here >here/b
  echo here >here/z/last
  echo there >there/a/x
  echo there >there/b/below
  local none="cannot replace a directory by what is none: Is a directory"
  local one="cannot replace what is no directory by one: Not a directory"
  expect 0 betrcp -a there :/there
  expect 1 betrcp -aT here :/there
  said "betrcp: import: here/b: $none"
  said "betrcp: import: here/a/x: $one"
  [ "$(wc -l <err)" = 2 ] || fail "$(cat err)"
  expect 0 betrcp --cat there/a/x there/b/below there/z/last
  diff out <(printf '%s\n' there there here) || fail "what was copied"
  expect 0 betrcp -a here :/here
  expect 1 betrcp -aT :/here there
  said "betrcp: export: /here/b: there/b: $none"
  said "betrcp: export: /here/a/x: there/a/x: $one"
  [ "$(wc -l <err)" = 2 ] || fail "$(cat err)"
  diff <(cat there/a/x there/b/below there/z/last) <(printf '%s\n' there there here) || fail "what was copied"
  # Those that are named are no others.
  expect 1 betrcp -r here/b here/z :/there
  said "betrcp: import: here/b: $none"
  expect 0 betrcp --cat there/z/last
  expect 0 betrcp --remove here there
}

leaves_the_image_out() {
  mkdir around
  cp disk.img around/img
  mkdir around/z
  echo behind >around/z/file
  (
    cd around
    expect 0 betrcp -a . img:/around
    said "betrcp: import: ./img: is the image itself: left out"
    expect 0 betrcp --list -R img:/around
    diff <(grep -v "^\(out\|err\)$" out) <(printf '%s\n' z z/file) || fail "what was copied: $(cat out)"
    expect 0 betrcp -q -a . img:/around
    silent
    expect 1 betrcp -a img img:/
    said "betrcp: import: img: the image cannot be in itself: Invalid argument"
  )
}

leaves_sockets_out_of_archives() {
  mkdir sockets
  echo file >sockets/file
  python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('sockets/a')"
  expect 0 betrcp -a sockets :/
  silent
  expect 0 betrcp --tar :/sockets archive.tar
  said "betrcp: export: ./a: is a socket, for which archives have no type: left out"
  [ "$(tar -tf archive.tar)" = "./
./file" ] || fail "in the archive: $(tar -tf archive.tar)"
  expect 0 betrcp -q --tar :/sockets archive.tar
  silent
}

# The image cannot be written to any more: one reason, in one line.
says_once_why_it_ends() {
  mkdir small many
  local n
  for n in $(seq 200); do head -c 60000 /dev/urandom >"many/$n"; done
  # Only root can make a small disk.
  [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=8M tmpfs small 2>/dev/null || return 0
  mkfs.betr -q -s 100M small/full.img
  local code=0 one=0
  betrcp -i small/full.img -a many :/ 2>many.err || code=$?
  cat many/* >one
  betrcp -i small/full.img one :/ 2>one.err || one=$?
  umount small
  [ "$code $one" = "1 1" ] || fail "exit $code, with one file $one, on a full disk"
  [ "$(wc -l <many.err) $(wc -l <one.err)" = "1 1" ] || fail "the reason, not once: $(cat many.err one.err)"
  grep -q "^betrcp: import: .*: No space left on device" many.err || fail "$(cat many.err)"
  grep -q "^betrcp: import: .*: No space left on device" one.err || fail "$(cat one.err)"
}

goes_on_behind_what_is_denied
keeps_attributes_that_are_denied
keeps_the_begin_of_a_file
without_devices
goes_on_behind_what_the_host_refuses
goes_on_behind_what_is_in_the_way
leaves_the_image_out
leaves_sockets_out_of_archives
says_once_why_it_ends
