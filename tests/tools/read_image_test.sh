#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/examples/read_image.py, which knows of images only what the documents say, reads in them what was written.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

command -v python3 >/dev/null || exit 77
python3 -c 'import ctypes.util as u; exit(not all(map(u.find_library, ["lz4", "zstd", "xxhash"])))' || exit 77
# A library with sanitizers cannot be loaded by a program without.
grep -q '^BETR_SANITIZE:[^=]*=.' "$BETR_BUILD_DIR/CMakeCache.txt" && exit 77
export PYTHONDONTWRITEBYTECODE=1 BETR_LIBRARY=$BETR_BUILD_DIR/lib/libbetr.so
examples=$BETR_SOURCE_DIR/docs/examples
makers=$BETR_SOURCE_DIR/tests/tools/read_image
read_image() { python3 "$examples/read_image.py" "$@"; }
make_with() { PYTHONPATH=$examples:$makers python3 "$makers/$1" "${@:2}" || fail "$*"; }
# each COMMAND...: adds the lines of stdin as arguments.
each() { tr '\n' '\0' | xargs -0 "$@"; }

# A store after a crash: trees and snapshots with clones, renames and erases, some of them in the log only.
store() { # IMAGE SEED NODE-SIZE BASEMENT-SIZE FANOUT COMPRESSION STEPS LOGGED
  make_with store_changes.py "$@"
  expect 0 read_image "$1" nodes
  grep -q "height [1-9]" out || fail "$1: no interior node"
  mapfile -t names <"$1.trees"
  expect 0 read_image "$1" keys "${names[@]}"
  cmp out "$1.keys" || fail "$1: other keys"
  expect 0 read_image "$1" log
  [ "$(wc -l <out)" -gt "$(($8 / 2))" ] || fail "$1: the log has only $(wc -l <out) changes"
}
store tiny.img 1 512 128 4 none 900 200
store small.img 2 4096 1024 8 zstd:3 2500 10
store large.img 3 4194304 65536 16 lz4 1500 300

# Files after a crash, with clones, links, holes and xattrs.
files() { # IMAGE SEED NODE-SIZE BASEMENT-SIZE FANOUT COMPRESSION STEPS LOGGED
  make_with file_changes.py "$1" "$1.host" "${@:2}"
  expect 0 read_image "$1" nodes
  same_names "$1" "$1.host"
  same_contents "$1" "$1.host"
  same_attributes "$1"
  same_xattrs "$1" "$1.host"
}

same_names() { # IMAGE DIRECTORY
  (cd "$2" && find . -mindepth 1 -printf '%P\n') | LC_ALL=C sort >names
  [ -s names ] || fail "$1: there is nothing"
  read_image "$1" ls -R | LC_ALL=C sort | diff - names || fail "$1: other names"
}

same_contents() { # IMAGE DIRECTORY
  (cd "$2" && find . -type f) >paths
  each python3 "$examples/read_image.py" "$1" cat <paths >out
  (cd "$2" && each cat) <paths | cmp - out || fail "$1: other contents"
}

# betrcp sees the same, inode numbers too.
same_attributes() { # IMAGE
  expect 0 betrcp -i "$1" --list -lR
  read_image "$1" ls -lR | diff - out || fail "$1: other attributes"
  betrcp -i "$1" --list -R --json | sed -nE 's/.*"path":"([^"]*)".*"inode":([0-9]+),.*/\1 \2/p' | LC_ALL=C sort >wanted
  each python3 "$examples/read_image.py" "$1" stat <names >stats
  sed -nE 's/ type=.* number=([0-9]+) .*/ \1/p' stats | LC_ALL=C sort | diff - wanted || fail "$1: other inode numbers"
}

same_xattrs() { # IMAGE DIRECTORY
  python3 - "$2" >wanted <<'CODE'
import os, sys
for path in map(str.strip, open("names")):
    here = os.path.join(sys.argv[1], path)
    print(path)
    for name in sorted(os.listxattr(here, follow_symlinks=False)):
        value = os.getxattr(here, name, follow_symlinks=False)
        shown = [chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}" for byte in value]
        print(f"  {name}=" + "".join(shown))
CODE
  sed -E 's/ type=[0-9] .*//' stats | diff - wanted || fail "$1: other xattrs"
}
files few.img 4 512 128 8 lz4 400 100
files more.img 5 16384 4096 16 zstd 500 60

# A file system that came to a clean end, of all that a host has. Devices need a user who may make them.
mkdir -p host/dir
echo text >host/file
ln -s nowhere host/link
ln host/file host/dir/name
mkfifo host/fifo
mknod host/device c 259 70000 2>/dev/null || true
touch -d '1960-01-01 00:00:00.5Z' host/old
truncate -s 5G host/holes
mkfs.betr -q -s 64M -d host disk.img
expect 0 read_image disk.img log
[ ! -s out ] || fail "$(cat out)"
same_names disk.img host
same_attributes disk.img
expect 0 read_image disk.img cat dir/name
[ "$(cat out)" = text ] || fail "$(cat out)"
expect 1 read_image disk.img cat dir/file
said "read_image.py: disk.img: dir/file: there is no such file"

# What is damaged is named with its place.
damaged() { # BYTE MESSAGE COMMAND...
  cp disk.img damaged.img
  printf '\377' | dd of=damaged.img bs=1 seek="$1" conv=notrunc status=none
  expect 1 read_image damaged.img "${@:3}"
  said "read_image.py: damaged.img: $2"
}
# field NAME: of the superblock that counts.
field() { read_image disk.img superblocks | sed -nE "s/^  $1 +//p" | head -n 1; }
[ "$(field generation)" -gt 1 ] || fail "generation $(field generation)"
table=$(field table_unit) node=$(read_image disk.img nodes | sed -nE 's/^node 1, at unit ([0-9]+),.*/\1/p')
damaged 100 "superblock, slot 0, at unit 0: its checksum is wrong" trees
damaged 5000 "superblock, slot 1, at unit 1: .*" trees
damaged $((table * 4096 + 100)) "page of the node table, at unit $table: its checksum is wrong" trees
damaged $((node * 4096 + 70)) "node 1, at unit $node: its checksum is wrong" ls
damaged $((node * 4096 + 4100)) "block 0 of node 1, at unit $node: its checksum is wrong" ls
cp disk.img damaged.img
printf '\377' | dd of=damaged.img bs=1 seek=$(($(field catalog_unit) * 4096 + 70)) conv=notrunc status=none
expect 0 read_image damaged.img ls # there is a second catalog
truncate -s 1M damaged.img
expect 1 read_image damaged.img ls
said "read_image.py: damaged.img: .*: the image ends before byte .*"
