#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Other programs find magic, UUID and label where they always are: in whichever slot is valid.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

packaging=$BETR_SOURCE_DIR/packaging
uuid=8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10
mkfs.betr -q -s 16M -U $uuid -L "my disk" disk.img
cp disk.img second.img
dd if=disk.img of=second.img bs=4096 seek=1 count=1 conv=notrunc status=none
dd if=/dev/zero of=second.img bs=4096 count=1 conv=notrunc status=none

for image in disk.img second.img; do
  expect 0 sh "$packaging/betr_id" $image
  printed "ID_FS_TYPE=betr"
  printed "ID_FS_UUID=$uuid"
  printed "ID_FS_LABEL=my_disk"
  printed 'ID_FS_LABEL_ENC=my\\x20disk'
done
truncate -s 1M empty.img
expect 1 sh "$packaging/betr_id" empty.img
[ ! -s out ] || fail "betr_id sees something in an empty file"

command -v file >/dev/null || exit 0
for image in disk.img second.img; do
  expect 0 file -m "$packaging/betr.magic" $image
  printed "$image: betr file system, version 1.0, label \"my disk\", uuid $uuid"
done
