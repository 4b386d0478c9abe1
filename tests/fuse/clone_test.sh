#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Clones of directories and files of all types on a mount: by betrcp, by xattr, by cp; what the kernel remembers is
# never stale.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

by_betrcp() {
  [ ! -e copy ] || fail "there is a copy before its time" # the kernel remembers that there is none
  expect 0 betrcp --clone tree copy
  [ ! -s out ] || fail "a clone prints without -v"
  same_tree tree copy
  expect 0 betrcp -v --clone tree/sub ./
  printed "clone tree/sub -> ./sub: .*, about [0-9]+ nodes touched"
  same_tree tree/sub sub
  expect 0 betrcp --clone tree/file file
  cmp tree/file file
  expect 1 betrcp --clone tree copy -T
  said "betrcp: clone: copy: File exists"
  expect 1 betrcp --clone absent copy2
  said "betrcp: clone: absent: No such file or directory"
  echo changed >copy/file
  [ "$(cat tree/file)" = content ] || fail "a change of the clone shows in the source"
  [ "$(stat -c %i tree/sub/deep)" != "$(stat -c %i copy/sub/deep)" ] || fail "a clone has its source's inode numbers"
  expect 1 betrcp --clone ../disk.img ../disk2.img
  said "betrcp: clone: ../disk.img: not on a mounted betr image, and no image was named \(-i\)"
}

# A destination inside the source is refused, by whatever path; but the root has nowhere else to go.
not_into_itself() {
  local into
  ln -s tree/sub way
  for into in tree/inside tree/sub/inside ./tree/../tree/sub/inside way/inside "$PWD/tree/inside"; do
    expect 1 betrcp --clone tree "$into"
    said "betrcp: clone: $into: cannot clone a directory into itself"
  done
  expect 1 betrcp --clone tree tree
  said "betrcp: clone: tree/tree: cannot clone a directory into itself"
  (cd tree/sub && expect 1 betrcp --clone .. inside && rm out err)
  expect 1 betrcp --clone tree/file tree/file
  said "betrcp: clone: tree/file: File exists"
  expect 0 betrcp --json --clone . everything
  python3 -c "import json; d = json.load(open('out')); assert d['nodes_touched'] >= 0, d"
  same_tree tree everything/tree
  rm -r everything way
}

by_xattr() {
  [ ! -e beside ] || fail "beside"
  setfattr -n user.betr.clone -v beside tree
  [ -e beside/sub/deep ] || fail "no clone beside"
  setfattr -n user.betr.clone -v /tree/sub/inner tree
  same_tree beside/sub/deep tree/sub/inner/sub/deep
  [ ! -e tree/self ] || fail "self"
  setfattr -n user.betr.clone -v /tree/self tree
  [ -e tree/self/file ] || fail "no clone inside its source"
  setfattr -n user.betr.clone -v /tree/file2 tree/file
  cmp tree/file tree/file2
  expect 1 setfattr -n user.betr.clone -v beside tree
  expect 1 setfattr -n user.betr.clone -v /absent/clone tree
}

# What may not be opened is cloned like anything else.
special_files() {
  mkdir -p special
  mkfifo -m 640 special/fifo
  ln -s nowhere special/link
  python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('special/socket')"
  local names=(fifo link socket) name
  if [ "$(id -u)" = 0 ]; then
    mknod special/device c 60 0 # nobody answers an open
    names+=(device)
  fi
  for name in "${names[@]}"; do
    [ ! -e $name ] || fail "there is a $name before its time"
    expect 0 timeout 20 betrcp --clone special/$name ./
    expect 0 timeout 20 betrcp --clone "$PWD/special/$name" special/$name-2
    expect 1 timeout 20 betrcp --clone special/$name special/$name-2
    said "betrcp: clone: special/$name-2: File exists"
    diff <(stat -c '%F %a %t %T' special/$name) <(stat -c '%F %a %t %T' $name) || fail "a clone of a $name"
    [ "$(readlink special/$name)" = "$(readlink $name)" ] || fail "where a clone of a $name leads"
  done
  (cd special && expect 0 timeout 20 betrcp --clone fifo ../fifo-3 && rm out err)
  [ -p fifo-3 ] || fail "no clone from below"
  # The link itself, and what it leads to.
  ln -s special way
  expect 0 betrcp --clone way way-2
  [ "$(readlink way-2)" = special ] || fail "a clone of a link to a directory"
  expect 0 timeout 20 betrcp --clone way/fifo by-way
  expect 1 timeout 20 betrcp --clone special/fifo/ fifo-4
  said "betrcp: clone: special/fifo/: Not a directory"
  mkfifo ../fifo
  expect 1 timeout 20 betrcp --clone ../fifo fifo-4
  said "betrcp: clone: ../fifo: not on a mounted betr image, and no image was named \(-i\)"
  expect 1 timeout 20 betrcp --clone fifo ../fifo-4
  said "betrcp: clone: ../fifo-4: not on a mounted betr image, and no image was named \(-i\)"
  rm -r ../fifo "${names[@]}" fifo-3 way way-2 by-way special
}

# What the kernel still holds in its pages is part of a clone.
with_dirty_pages() {
  mkdir pages
  python3 - <<'PYTHON'
import mmap, os, subprocess
fd = os.open("pages/file", os.O_CREAT | os.O_RDWR)
os.ftruncate(fd, 8192)
with mmap.mmap(fd, 8192) as memory:
    memory[5000:5003] = b"new"
    subprocess.run(["betrcp", "--clone", "pages", "pages2"], check=True)
    memory[5000:5003] = b"old"
    os.pwrite(fd, b"written", 0)
    subprocess.run(["betrcp", "--clone", "pages", "pages3"], check=True)
with open("pages2/file", "rb") as file:
    content = file.read()
assert content[5000:5003] == b"new" and content[:7] == bytes(7), content[:7]
with open("pages3/file", "rb") as file:
    content = file.read()
assert content[5000:5003] == b"old" and content[:7] == b"written", content[:7]
PYTHON
}

# cp asks for copy_file_range, and a whole file becomes a clone: space is shared.
by_cp() {
  head -c 40M /dev/urandom >large
  sync large
  local before after
  before=$(stat -fc %f .)
  for i in 1 2 3 4 5; do cp large large$i; done
  cmp large large5
  sync large5
  after=$(stat -fc %f .)
  [ $((before - after)) -lt $((50 << 20 >> 12)) ] || fail "cp does not share: $before to $after blocks free"
}

permissions() {
  [ "$(id -u)" = 0 ] || return 0
  command -v setpriv >/dev/null || return 0
  mkdir -m 755 owned && echo mine >owned/mine && chown -R 1234:1234 owned
  mkdir -m 777 drop
  setpriv --reuid 1234 --regid 1234 --clear-groups "$BETR_BIN_DIR/betrcp" --clone owned drop/owned
  [ "$(stat -c %u drop/owned/mine)" = 1234 ] || fail "owner of a clone"
  expect 1 setpriv --reuid 1234 --regid 1234 --clear-groups "$BETR_BIN_DIR/betrcp" --clone tree drop/tree
  said "betrcp: clone: drop/tree: Operation not permitted"
  expect 1 setpriv --reuid 1234 --regid 1234 --clear-groups "$BETR_BIN_DIR/betrcp" --clone owned tree/owned
  said "betrcp: clone: tree/owned: Permission denied"
  mkdir -m 755 fifos && mkfifo fifos/mine fifos/theirs && chown 1234 fifos/mine
  expect 0 setpriv --reuid 1234 --regid 1234 --clear-groups "$BETR_BIN_DIR/betrcp" --clone fifos/mine drop/mine
  expect 1 setpriv --reuid 1234 --regid 1234 --clear-groups "$BETR_BIN_DIR/betrcp" --clone fifos/theirs drop/theirs
  said "betrcp: clone: drop/theirs: Operation not permitted"
  mkdir -m 755 devices && mknod devices/null c 1 3 && mknod devices/block b 7 0 && chown -R 1234:1234 devices
  local source
  for source in devices/null devices/block devices; do
    expect 1 setpriv --reuid 1234 --regid 1234 --clear-groups "$BETR_BIN_DIR/betrcp" --clone $source drop/device
    said "betrcp: clone: drop/device: Operation not permitted"
  done
  expect 0 betrcp --clone devices drop/devices
  chmod 744 fifos # names can be read, and not followed
  python3 - <<'PYTHON' || fail "a name where one may not search"
import array, errno, fcntl, os, struct

os.setgroups([])
os.setgid(1234)
os.setuid(1234)
kSource, kCloneEntry = 0x8008BE01, 0x4210BE04
fifos, drop = os.open("fifos", os.O_RDONLY), os.open("drop", os.O_RDONLY)
number = array.array("Q", [0])
fcntl.ioctl(fifos, kSource, number)
for entry, wanted in ((b"mine", errno.EACCES), (b"", errno.EINVAL), (b"x" * 256, errno.EINVAL)):
    try:
        fcntl.ioctl(drop, kCloneEntry, struct.pack("QII256s256s", number[0], 0, 0, entry, b"no"))
        raise SystemExit(f"{entry}: was cloned")
    except OSError as error:
        assert error.errno == wanted, (entry, error)
PYTHON
  echo theirs >owned/theirs
  expect 1 setpriv --reuid 1234 --regid 1234 --clear-groups "$BETR_BIN_DIR/betrcp" --clone owned drop/owned2
}

not_to_another_mount() {
  local code=0
  mkfs.betr -q -s 64M second.img
  mkdir second
  mount.betr second.img second
  betrcp --clone mnt/tree second/tree >out 2>err || code=$?
  umount.betr second
  [ $code = 1 ] || fail "exit $code of a clone to another mount"
  said "betrcp: clone: second/tree: on another mount than what is cloned: Invalid cross-device link"
}

command -v setfattr >/dev/null || skip "there is no setfattr"
chmod 755 "$work"
mkfs.betr -q -s 1G disk.img
for options in cache=64M cache=64M,writeback; do
  mount_image disk.img -o $options
  (
    work=$work/mnt
    cd mnt
    mkdir -p run tree/sub
    echo content >tree/file
    echo deep >tree/sub/deep
    ln tree/file tree/sub/link
    not_into_itself
    by_betrcp
    by_xattr
    special_files
    with_dirty_pages
    by_cp
    permissions
  )
  [ -d second ] || not_to_another_mount
  rm -rf mnt/*
  unmount_image
  sound disk.img
done
