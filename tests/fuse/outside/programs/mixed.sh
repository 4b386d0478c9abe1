#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# stress-ng, dbench and clones all at once with a cache of 64 MiB, for MIXED_SECONDS: the program's memory stays below
# the cache and 256 MiB, nothing hangs, and clones are what their source was.
source "$(dirname "$0")/program.sh"
set -euo pipefail
needs stress-ng stress-ng
needs dbench dbench
seconds=${MIXED_SECONDS:-60}
limit_kib=$(((64 + 256) * 1024))
mount_options=cache=64M,${mount_options#cache=*[MG]}
mount_options=${mount_options%,}

umount.betr "$mnt"
mount_again
server=$(server_pid)
mkdir "$mnt/stress" "$mnt/dbench" "$mnt/clones"
cp -r /usr/include/linux "$mnt/clones/source"
deadline=$((SECONDS + seconds))

stress-ng --temp-path "$mnt/stress" --verify --timeout "$seconds" --hdd 1 --hdd-bytes 64m --dentry 1 --dir 1 \
  --rename 1 --link 1 --xattr 1 --seek 1 --fallocate 1 --fallocate-bytes 32m --copy-file 1 --copy-file-bytes 128m \
  --mmap 1 --mmap-bytes 32m --mmap-file --flock 1 >"$work/stress" 2>&1 &
stress=$!
warm_up=$((seconds / 6)) # which dbench adds to its time: a fifth of it
dbench -c /usr/share/dbench/client.txt -D "$mnt/dbench" -t $((seconds - warm_up)) 2 >"$work/dbench" 2>&1 &
dbench=$!

trap 'kill $stress $dbench 2>/dev/null || true; wait' EXIT
largest_kib=0
clones=0
while [ $SECONDS -lt $deadline ]; do
  betrcp --clone "$mnt/clones/source" "$mnt/clones/clone"
  diff -r /usr/include/linux "$mnt/clones/clone" || fail "a clone differs from its source"
  rm -r "$mnt/clones/clone"
  clones=$((clones + 1))
  resident_kib=$(awk '/^VmRSS/ { print $2 }' "/proc/$server/status")
  [ "$resident_kib" -le $largest_kib ] || largest_kib=$resident_kib
  sleep 1
done
wait $stress || fail "stress-ng: $(tail "$work/stress")"
wait $dbench || fail "dbench: $(tail "$work/dbench")"
echo "$seconds s, $clones clones, at most $((largest_kib / 1024)) MiB, $(tail -1 "$work/dbench")"
[ $largest_kib -le $limit_kib ] || fail "more than $((limit_kib / 1024)) MiB"
