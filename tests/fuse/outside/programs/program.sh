# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts in this folder, each of which tries one program of Debian on a mounted image: $mnt, and $work
# on the host for what is not to be tried. $image, $mount_options: for whoever mounts it anew.

needs() { # <command> <package>
  command -v "$1" >/dev/null || [ -x "$1" ] || {
    echo "skipped: no $1: apt-get install $2"
    exit 0
  }
}

fail() {
  echo "$*"
  exit 1
}

# The files below a directory, one a line, with all that a copy has to keep: type, mode, owner, links, size, time of
# change, target of a symlink.
listing() {
  (cd "$1" && find . -mindepth 1 \( -type d -printf '%P %y %m %U:%G %t\n' -o \
    -printf '%P %y %m %U:%G %n %s %T@ %l\n' \) | LC_ALL=C sort)
}

# The process that serves the mount.
server_pid() { pgrep -xf "mount.betr $image $mnt -o $mount_options"; }

# The mount dies at once, as in a crash.
kill_mount() {
  local server
  server=$(server_pid)
  kill -9 "$server"
  while kill -0 "$server" 2>/dev/null; do sleep 0.05; done
}

# Made anew, wherever the last one was ended or killed.
mount_again() {
  fusermount3 -qzu "$mnt" || true
  fsck.betr -n -f -q "$image" >"$work/fsck" 2>&1 || fail "fsck.betr: $(cat "$work/fsck")"
  mount.betr "$image" "$mnt" -o "$mount_options"
}
