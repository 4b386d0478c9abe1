#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# df, du, find, cp -a, mv, install, ln, truncate and dd, on a tree with all that a tree may have.
source "$(dirname "$0")/program.sh"
set -euo pipefail
needs setfattr attr
needs setfacl acl

host=$work/coreutils
mkdir "$host"
cp -a /usr/include/linux "$host/tree"
cd "$host/tree"
ln types.h "hard link"
ln -s ../absent dangling
mkfifo fifo
mknod device c 1 3
chmod 4755 kernel.h
chmod 1777 can
chown -h 1234:4321 dangling futex.h
setfattr -n user.note -v "a value" fs.h
setfacl -m u:1234:r fcntl.h
touch -d "1969-07-20 20:17:40.123456789 UTC" time.h
truncate -s 1M sparse
dd if=/dev/urandom of=sparse bs=4k seek=100 count=3 conv=notrunc status=none
cd "$work"

used_before=$(df --output=used "$mnt" | tail -1)
cp -a "$host/tree" "$mnt/"
diff <(listing "$host/tree") <(listing "$mnt/tree") || fail "cp -a: the listings differ"
find "$host/tree" -type f -printf '%P\0' | while IFS= read -r -d '' name; do
  cmp "$host/tree/$name" "$mnt/tree/$name"
done
more() { # DIRECTORY: attributes and access lists of all files in it
  (cd "$1" && find . ! -type l -print0 | sort -z | xargs -0 getfattr -hd -m- && find . ! -type l -print0 | sort -z |
    xargs -0 getfacl -n)
}
diff <(more "$host/tree") <(more "$mnt/tree") || fail "cp -a: attributes or access lists differ"
more "$mnt/tree" | grep -c "user.note=\"a value\"" >/dev/null || fail "no attributes"
more "$mnt/tree" | grep -c "user:1234:r--" >/dev/null || fail "no access lists"
[ "$(stat -c %i "$mnt/tree/types.h")" = "$(stat -c %i "$mnt/tree/hard link")" ] || fail "cp -a: links"

cp -a "$mnt/tree" "$mnt/second"
diff <(listing "$mnt/tree") <(listing "$mnt/second") || fail "cp -a within the mount: the listings differ"
diff <(cd "$mnt/tree" && du -ab --exclude . | sort -k2) <(cd "$mnt/second" && du -ab --exclude . | sort -k2) ||
  fail "du: a copy has another size"
files=$(find "$host/tree" -type f -printf '%i %s\n' | sort -u | awk '{ sum += $2 } END { print sum }')
[ "$(find "$mnt/tree" -type f -printf '%i %s\n' | sort -u | awk '{ sum += $2 } END { print sum }')" = "$files" ] ||
  fail "find: sizes"

for test in "-type d" "-type l" "-perm -4000" "-uid 1234" "-links 2" "-size +50k" "-name *.h" "-newermt 1970-01-01" \
  "-empty" "-not -newermt 1970-01-01" "-samefile tree/types.h" "-inum 0"; do
  set -f
  diff <(cd "$host" && find tree $test | sort) <(cd "$mnt" && find tree $test | sort) || fail "find $test"
  set +f
done

mv "$mnt/second" "$mnt/third"
[ ! -e "$mnt/second" ] || fail "mv: the old name is there"
mv "$mnt/third" "$host/third"
diff <(listing "$host/tree") <(listing "$host/third") || fail "mv to another file system"
install -m 750 -o 7 -g 8 /bin/true "$mnt/true"
[ "$(stat -c %a:%u:%g "$mnt/true")" = 750:7:8 ] || fail "install"
"$mnt/true"

dd if=/dev/urandom of="$mnt/large" bs=1M count=300 status=none conv=fsync
[ "$(du -m "$mnt/large" | cut -f1)" = 300 ] || fail "du: $(du -m "$mnt/large")"
umount.betr "$mnt" # df counts what is on the disk, and what is in memory is there after this at the latest
mount_again
used_after=$(df --output=used "$mnt" | tail -1)
[ $((used_after - used_before)) -gt 290000 ] || fail "df: $used_before before, $used_after after 300 MiB"
[ "$(df --output=itotal,fstype "$mnt" | tail -1 | awk '{ print $2 }')" = fuse.betr ] || fail "df: $(df "$mnt")"
rm -r "$mnt/tree" "$mnt/true" "$mnt/large"
[ -z "$(ls -A "$mnt")" ] || fail "rm: $(ls -A "$mnt")"
echo "cp -a, mv, find, du, df agree with the host's: ok"
