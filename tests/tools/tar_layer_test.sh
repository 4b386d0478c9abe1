#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp --tar --since and --layer: layers of container images, made and unpacked by us and by who reads the
# specification only.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

command -v python3 >/dev/null || exit 77
export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 64M disk.img

# As the image specification says it: whiteouts, then what there is, then the times of directories.
cat >unpack.py <<'CODE'
import decimal, os, shutil, sys, tarfile

def gone(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)

layer, top = sys.argv[1:]
with tarfile.open(layer) as archive:
    members = archive.getmembers()
    for member in members:
        where, name = os.path.split(os.path.join(top, member.name))
        if name.startswith(".wh."):
            assert member.isreg() and member.size == 0, member
            gone(os.path.join(where, name[4:]))
    made = []
    for member in members:
        path = os.path.join(top, member.name)
        if os.path.basename(path).startswith(".wh."):
            continue
        made.append(member)
        if not (member.isdir() and os.path.isdir(path) and not os.path.islink(path)):
            gone(path)
        archive.extract(member, top)
    for member in reversed(made):
        modified = int(decimal.Decimal(member.pax_headers.get("mtime", member.mtime)) * 10**9)
        os.utime(os.path.join(top, member.name), ns=(0, modified), follow_symlinks=False)
CODE

mkdir -p base/etc base/var/cache base/usr/lib base/opt
echo root >base/etc/passwd
head -c 3000000 /dev/urandom >base/usr/lib/large.so
echo cached >base/var/cache/a
echo cached >base/var/cache/b
ln -s lib base/usr/lib64
echo tool >base/opt/tool
ln base/opt/tool base/opt/same-tool
betrcp -a base :/base

changes_in() {
  rm -r "$1/var/cache" "$1/usr/lib64"
  mkdir "$1/usr/lib64" "$1/var/cache"
  echo new >"$1/var/cache/c"
  echo user >>"$1/etc/passwd"
  chmod 600 "$1/etc/passwd"
  rm -r "$1/opt"
  echo file >"$1/opt"
  mkdir -p "$1/srv/www"
  echo page >"$1/srv/www/index"
  ln "$1/srv/www/index" "$1/srv/www/home"
}

# The tree with its changes is what the layer makes of the base, for anybody.
is_what_was_changed() {
  cp -a base changed
  changes_in changed
  expect 0 betrcp --clone base changed
  expect 0 betrcp -auT --delete changed :/changed
  expect 0 betrcp --tar --since :/base :/changed layer.tar
  silent
  diff <(tar -tf layer.tar | sort) <(printf './%s\n' "" .wh.opt etc/ etc/passwd opt srv/ srv/www/ srv/www/home \
    srv/www/index usr/ usr/lib64/ var/ var/cache/ var/cache/.wh.a var/cache/.wh.b var/cache/c | grep -v '.wh.opt$' |
    sort) || fail "what is in the layer"
  cp -a base by-others
  python3 unpack.py layer.tar by-others
  same_tree changed by-others
  diff <(attributes changed) <(attributes by-others) || fail "attributes, unpacked by others"
  # By ourselves, and from a pipe that is compressed.
  expect 0 betrcp --clone base again
  gzip -c layer.tar | betrcp --tar --layer -v - :/again 2>err
  said "betrcp: import: /again/var/cache/a: removed"
  said "betrcp: import: /again/opt: removed"
  expect 0 betrcp --diff changed again
  [ ! -s out ] || fail "it differs: $(cat out)"
  expect 0 betrcp -a :/again again
  diff <(attributes changed) <(attributes again) || fail "attributes, unpacked by ourselves"
  expect 0 fsck.betr -f disk.img
}

# Whatever the size of what has not changed, it is not looked at.
is_small() {
  [ "$(stat -c %s layer.tar)" -lt 100000 ] || fail "a layer of $(stat -c %s layer.tar) bytes"
  expect 0 betrcp --clone base alike
  expect 0 betrcp --json --tar --since base :/alike none.tar
  python3 -c "import json; assert json.load(open('out'))['files'] == 0"
  [ -z "$(tar -tf none.tar)" ] || fail "a layer of what has not changed: $(tar -tf none.tar)"
}

leaves_out() {
  expect 0 betrcp --tar --since :/base --exclude var --exclude /srv/www :/changed part.tar
  tar -tf part.tar >part
  ! grep -E "var|www" part || fail "excluded, and there"
  grep -x ./etc/passwd part >/dev/null || fail "what is not excluded"
}

is_refused_elsewhere() {
  expect 2 betrcp --tar --since :/base layer.tar :/changed
  said "betrcp: --since: only out of the image; --layer unpacks what it makes"
  expect 2 betrcp --tar --layer :/changed layer.tar
  said "betrcp: --layer: only into the image; --since :/base makes one"
  expect 2 betrcp -a --layer base :/
  said "betrcp: --layer: only with --tar"
  expect 2 betrcp --diff --since base base changed
  said "betrcp: --since: only with --tar; --diff lists what differs"
  expect 2 betrcp --tar --since "" :/changed other.tar
  expect 2 betrcp --tar --since other.img:/base :/changed other.tar
  # What cannot be done does not take an archive that is there.
  cp layer.tar other.tar
  expect 1 betrcp --tar --since :/none :/changed other.tar
  said "betrcp: export: /none/: No such file or directory"
  expect 1 betrcp --tar --since :/base/etc/passwd :/changed other.tar
  said "betrcp: export: /base/etc/passwd/: Not a directory"
  expect 1 betrcp --tar --since :/base :/changed/etc/passwd other.tar
  cmp layer.tar other.tar || fail "the archive that was there"
}

is_what_was_changed
is_small
leaves_out
is_refused_elsewhere
