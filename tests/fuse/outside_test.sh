#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What suites and programs of others say of a mount, as far as they are installed: tests/fuse/outside/run, briefly.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

[ "$(id -u)" = 0 ] || skip "only root may do all that the suites try"
mkfs.betr -q -s 64M probe.img
mount.betr probe.img "$mnt" 2>err || skip "$(cat err)"
umount.betr "$mnt"

export FSX_RUNS=1 STRESS_SECONDS=1
PATH=$BETR_SOURCE_DIR/build/crates/bin:$PATH
suites=(pjdfstest fsx stress-ng fio dbench sqlite3 tar rsync coreutils postmark)
code=0
"$BETR_SOURCE_DIR/tests/fuse/outside/run" -b "$BETR_BIN_DIR" "${suites[@]}" >said 2>&1 || code=$?
missing=$(grep -c "^skipped: " said) || true
sed 's/^skipped: /not done: /' said
[ $code = 0 ] || fail "see above"
[ "$missing" -lt ${#suites[@]} ] || skip "no suite is installed"

# A suite fails whichever of its commands finds something, not only by the last.
mkdir damaging
cat >damaging/tar <<'SHELL'
#!/usr/bin/env bash
PATH=${PATH#*/damaging:}
tar "$@"
[ "$3" != -xpf ] || sed -i 's/inode/damage/' "$2/linux/fs.h"
SHELL
chmod +x damaging/tar
expect 1 env PATH="$work/damaging:$PATH" "$BETR_SOURCE_DIR/tests/fuse/outside/run" -b "$BETR_BIN_DIR" tar
printed "FAILED: tar"
