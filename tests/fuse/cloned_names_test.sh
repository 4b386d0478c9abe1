#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Names that the kernel has seen to be free when a clone takes them: files of others in sticky directories are safe, and
# open(O_CREAT) does not say EEXIST.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

[ "$(id -u)" = 0 ] || skip "only root becomes somebody else"
chmod 755 "$work"
mkfs.betr -q -s 256M disk.img
mount_image disk.img -o cache=64M,allow_other
for what in sticky create; do
  mkdir "$mnt/$what"
  for way in ioctl xattr; do
    timeout -s KILL 300 python3 "$BETR_SOURCE_DIR/tests/fuse/cloned_names.py" "$mnt/$what" $what $way 1500 ||
      fail "$what, clones by $way"
  done
done

# Whose capability the kernel honours is not refused either.
as_owner() { setpriv --reuid 1000 --clear-groups --inh-caps +fowner --ambient-caps +fowner "$@"; }
if command -v setpriv >/dev/null && as_owner true 2>/dev/null; then
  mkdir -m 1777 "$mnt/sticky/others"
  touch "$mnt/sticky/others/"{a,b,c}
  cd "$mnt/sticky/others"
  setpriv --reuid 1000 --clear-groups rm -f a 2>/dev/null && fail "somebody else's file was removed"
  as_owner mv -f a b || fail "CAP_FOWNER: rename"
  as_owner rm -f c || fail "CAP_FOWNER: unlink"
  [ "$(echo *)" = b ] || fail "CAP_FOWNER: $(echo *) are left"
  cd "$work"
fi
unmount_image
sound disk.img
