#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A Debian root by debootstrap, in which dpkg installs, verifies and purges; then the root is cloned, and dpkg and apt
# work in the clone in namespaces of their own, as in a container.
# DEBIAN_MIRROR, DEBIAN_SUITE: from where, and which.
source "$(dirname "$0")/program.sh"
set -euo pipefail
needs debootstrap debootstrap
root=$mnt/root
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
suite=${DEBIAN_SUITE:-bookworm}

# inside DIRECTORY COMMAND...: as root of a container: own processes, mounts, names and network.
inside() {
  local directory=$1
  shift
  unshare --mount --uts --ipc --net --pid --fork --root="$directory" --mount-proc \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
}
# Configuration files that installing has changed are no finding.
verified() {
  inside "$1" dpkg --verify >"$work/out" 2>&1 || true
  grep -v "^.* c /" "$work/out" && fail "dpkg --verify finds something"
  return 0
}

debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/out" 2>&1 || fail "$(tail -20 "$work/out")"
verified "$root"
[ -z "$(inside "$root" dpkg --audit)" ] || fail "dpkg --audit: $(inside "$root" dpkg --audit)"

cp "$(find "$root/var/cache/apt/archives" -name 'tzdata_*.deb' | head -1)" "$root/tzdata.deb"
inside "$root" dpkg --purge tzdata >"$work/out" 2>&1 || fail "purge: $(cat "$work/out")"
[ ! -e "$root/usr/share/zoneinfo/Europe" ] || fail "purged files are there"
dpkg --root="$root" --unpack "$root/tzdata.deb" >"$work/out" 2>&1 || fail "unpack: $(cat "$work/out")"
inside "$root" dpkg --configure -a >"$work/out" 2>&1 || fail "configure: $(cat "$work/out")"
[ -e "$root/usr/share/zoneinfo/Europe/Paris" ] || fail "installed files are missing"
verified "$root"

before=$(listing "$root")
betrcp --clone "$root" "$mnt/clone"
diff <(echo "$before") <(listing "$mnt/clone") >"$work/out" || fail "the clone: $(head -5 "$work/out")"
verified "$mnt/clone"
[ -z "$(inside "$mnt/clone" dpkg --audit)" ] || fail "dpkg --audit in the clone"
inside "$mnt/clone" apt-get check -q >"$work/out" 2>&1 || fail "apt-get check: $(cat "$work/out")"
inside "$mnt/clone" sh -c 'dpkg --purge tzdata && dpkg --install /tzdata.deb && useradd -m somebody &&
  su somebody -c "echo hello >~/hello" && hostname inside && uname -n >/name && mkdir /new &&
  mount -t tmpfs none /new && mknod -m 666 /new/null c 1 3 && echo >/new/null' >"$work/out" 2>&1 ||
  fail "$(cat "$work/out")"
verified "$mnt/clone"
[ "$(cat "$mnt/clone/home/somebody/hello" "$mnt/clone/name")" = $'hello\ninside' ] || fail "work in the clone"
diff <(echo "$before") <(listing "$root") >"$work/out" || fail "the source has changed: $(head -5 "$work/out")"
echo "debootstrap, install, purge, verify; the same in a clone with unshare: ok"
