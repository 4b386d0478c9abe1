#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Overlays over directories of the host, one with its upper layer on the mount and one with it on the host: random
# operations have the same outcomes on both, and both show the same in the end.
# OVERLAY_OPERATIONS: how many.
source "$(dirname "$0")/program.sh"
set -euo pipefail
lower=/usr/include:/usr/share/doc
operations=${OVERLAY_OPERATIONS:-1000}
mkdir -p "$work/on-host" "$work/on-mount"
trap 'umount "$work/on-host" "$work/on-mount" 2>/dev/null || true' EXIT

overlay() { # UPPER-AND-WORK MERGED OPTIONS
  mkdir -p "$1/upper" "$1/work"
  mount -t overlay overlay -o "lowerdir=$lower,upperdir=$1/upper,workdir=$1/work$3" "$2" 2>"$work/out" ||
    { echo "skipped: no overlay: $(cat "$work/out")" && exit 0; }
}

contents() {
  (cd "$1" && find . -printf '%p %y %m %n %l ' \( -type f -printf '%s' -o -true \) -printf '\n' | sort
    find . -type f -print0 | sort -z | xargs -0 md5sum)
}

seed=1
for options in "" ,redirect_dir=on ,redirect_dir=on,metacopy=on; do
  overlay "$work/host/$seed" "$work/on-host" "$options"
  overlay "$mnt/$seed" "$work/on-mount" "$options"
  for where in on-host on-mount; do
    python3 "$(dirname "$0")/overlay.py" "$work/$where" $seed "$operations" >"$work/$where.done"
    contents "$work/$where" >"$work/$where.shown"
  done
  for what in done shown; do
    diff "$work/on-host.$what" "$work/on-mount.$what" >"$work/out" || fail "seed $seed: $(head -5 "$work/out")"
  done
  done_here=$(grep -c ok "$work/on-mount.done")
  echo "overlay${options:-, usual options}: $done_here of $operations operations done, the same"
  umount "$work/on-host" "$work/on-mount"
  seed=$((seed + 1))
done
