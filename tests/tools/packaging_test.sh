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

# labelled LABEL: what is said of an image with that label, in the file out.
labelled() {
  rm -f label.img
  mkfs.betr -q -s 16M -L "$1" label.img
  expect 0 sh "$packaging/betr_id" label.img
}
labelled "Zürich a:b/c"
printed "ID_FS_LABEL=Zürich_a:b/c"
printed 'ID_FS_LABEL_ENC=Zürich\\x20a:b\\x2fc'
labelled $'one\nID_FS_TYPE=ext4\x1b'
printed "ID_FS_LABEL=one_ID_FS_TYPE=ext4_"
printed "ID_FS_TYPE=betr"
labelled '"' # udev would want another one at the end
printed "ID_FS_LABEL=_"
labelled "$(printf '%064d' 0)"
printed "ID_FS_LABEL=0{64}"
labelled $' \t'
! grep LABEL out || fail "a label of blanks"

# blkid says of an ext4 with the same label, of up to 16 bytes, what udev takes.
labels=(
  "my disk" Zürich 日本語 a:b "x#+-.:=@_y" '%$!~' 'b\slash' 'a\x20b' "  a  b " $'tab\there' 'it"s' "it's" a,b
  '(p)[s]{c}' '*?<>|&;,^`' $'bad\xff\xfe' $'cut\xc3' $'cut\xe6\x97x' $'long\xc1\x81' $'long\xe0\x81\x81'
  $'long\xf0\x80\x81\x81' $'half\xed\xa0\x80' $'\xef\xbf\xbd' $'no\xef\xbf\xbf' $'no\xef\xb7\x90' $'\xf0\x9f\x98\x80'
  $'high\xf4\x90\x80\x80' $'\xc2\xa0blank'
)
if command -v blkid >/dev/null && command -v mkfs.ext4 >/dev/null; then
  truncate -s 2M ext4.img
  for label in "${labels[@]}"; do
    mkfs.ext4 -q -F -L "$label" ext4.img
    blkid -p -o udev ext4.img | grep -a "^ID_FS_LABEL" >expected
    labelled "$label"
    diff <(grep -a "^ID_FS_LABEL" out) expected || fail "label: $label"
  done
else
  echo "not done: there is no blkid or no mkfs.ext4 to compare labels with"
fi

command -v file >/dev/null || exit 0
for image in disk.img second.img; do
  expect 0 file -m "$packaging/betr.magic" $image
  printed "$image: betr file system, version 1.0, label \"my disk\", uuid $uuid"
done
