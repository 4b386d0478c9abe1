#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Entries of archives that lie below symbolic links: they go where the links lead to within the destination, and nowhere
# else.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

# archive FILE ENTRY...: each entry is "d NAME", "f NAME", "l NAME TARGET" or "h NAME TARGET"; files hold their names.
archive() {
  python3 - "$@" <<'PYTHON'
import io, sys, tarfile
types = {"d": tarfile.DIRTYPE, "f": tarfile.REGTYPE, "l": tarfile.SYMTYPE, "h": tarfile.LNKTYPE}
with tarfile.open(sys.argv[1], "w") as archive:
    for text in sys.argv[2:]:
        kind, name, *target = text.split()
        entry = tarfile.TarInfo(name)
        entry.type = types[kind]
        entry.mtime = 1000000000
        entry.mode = 0o755 if kind == "d" else 0o644
        entry.linkname = target[0] if target else ""
        content = name.encode() + b"\n" if kind == "f" else b""
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
PYTHON
}

export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 16M disk.img

# As of a layer of a container: /lib is a link.
follows_within_the_destination() {
  archive layer.tar "d usr" "d usr/lib" "l lib usr/lib" "f lib/relative" "l abs /usr/./lib/" "f abs/absolute" \
    "l usr/up ../../../usr" "f usr/up/lib/above" "l twice abs" "f twice/new/two" "h hard lib/relative" "f last"
  local top
  for top in "" /sub; do
    expect 0 betrcp --tar layer.tar ":$top"/
    silent
    expect 0 betrcp --list -R "$top"/usr
    diff <(sort out) <(printf '%s\n' lib lib/{above,absolute,new,new/two,relative} up) || fail "what is there"
    expect 0 betrcp --cat "$top"/usr/lib/relative "$top"/hard "$top"/usr/lib/absolute "$top"/last
    diff out <(printf '%s\n' lib/relative lib/relative abs/absolute last) || fail "contents"
    expect 0 betrcp --list -l "$top"/usr
    printed "d.* 2001-09-09T01:46:40Z lib" # made in afterwards
  done
  expect 0 betrcp --list
  diff <(sort out) <(printf '%s\n' abs hard last lib sub twice usr) || fail "the root"
  expect 0 mkfs.betr -q -s 16M --tar layer.tar made.img
  expect 0 betrcp -i made.img --cat usr/lib/absolute
  printed abs/absolute
}

# What has no place is told of, and the rest is unpacked.
goes_on_behind_what_has_no_place() {
  archive odd.tar "l loop loop" "f loop/a" "l gone nowhere/deep" "f gone/b" "f file" "f file/c" "h hard gone/b" \
    "l mid x/../y" "f mid/d" "l out /outside" "f out/e" "f last"
  betrcp --mkdir outside
  expect 1 betrcp --json --tar odd.tar :/odd
  python3 -c "import json; d = json.load(open('out')); assert d['unreadable'] == 6, d"
  said "betrcp: import: odd.tar: loop/a: /odd/loop: Too many levels of symbolic links"
  said "betrcp: import: odd.tar: gone/b: /odd/nowhere: No such file or directory"
  said "betrcp: import: odd.tar: file/c: /odd/file: Not a directory"
  said "betrcp: import: odd.tar: hard: link to gone/b: /odd/nowhere: No such file or directory"
  said "betrcp: import: odd.tar: mid/d: /odd/mid: leads to x/../y, which is not followed: Not a directory"
  said "betrcp: import: odd.tar: out/e: /odd/outside: No such file or directory"
  expect 0 betrcp --list -R odd
  diff <(sort out) <(printf '%s\n' file gone last loop mid out) || fail "what was unpacked"
  expect 0 betrcp --list outside
  [ ! -s out ] || fail "outside: $(cat out)"
  # Nor does what is there give way.
  archive clash.tar "d dir" "f dir/file" "l link dir" "f dir" "l dir elsewhere" "h dir dir/file" "d dir/file" "d link" \
    "h linked dir" "f $(printf '%0300d' 0)" "f last"
  expect 1 betrcp --json --tar clash.tar :/clash
  python3 -c "import json; d = json.load(open('out')); assert d['unreadable'] == 7, d"
  said "betrcp: import: clash.tar: dir: cannot replace a directory by what is none: Is a directory"
  [ "$(grep -c "clash.tar: dir: " err)" = 3 ] || fail "in place of a directory: $(cat err)"
  said "betrcp: import: clash.tar: dir/file/: cannot replace what is no directory by one: Not a directory"
  said "betrcp: import: clash.tar: link/: cannot replace what is no directory by one: Not a directory"
  said "betrcp: import: clash.tar: linked: link to dir: a directory: Operation not permitted"
  said "betrcp: import: clash.tar: 0+: .*File name too long"
  expect 0 betrcp --list -R clash
  diff <(sort out) <(printf '%s\n' dir dir/file last link) || fail "what was unpacked"
  # A file system of which something is missing is not made.
  expect 1 mkfs.betr -q -s 16M --tar odd.tar other.img
  said "mkfs.betr: make: odd.tar: loop/a: /loop: Too many levels of symbolic links"
  [ ! -e other.img ] || fail "it was made"
}

follows_within_the_destination
goes_on_behind_what_has_no_place
expect 0 fsck.betr -q disk.img
