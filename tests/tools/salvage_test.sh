#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fsck.betr -y on an image that has lost every name: thousands of files, small and large, move to /lost+found with what
# is in them, and a second run finds nothing.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

# extent NODE: "UNIT UNITS" of a node of disk.img.
extent() {
  betrdump -i disk.img --json table | python3 -c "
import json, sys
print(*next((n['extent']['unit'], n['extent']['units']) for n in json.load(sys.stdin)['nodes'] if n['id'] == $1))"
}

mkdir -p tree/many
python3 - <<'PYTHON'
for number in range(3000):
    with open(f"tree/many/f{number:04}", "w") as file:
        file.write(f"{number} " * (20000 if number % 100 == 0 else number % 1000 + 1))
PYTHON
expect 0 mkfs.betr -s 64M --node-size 16K --basement-size 4K -d tree disk.img
root=$(betrdump -i disk.img --json tree meta |
  python3 -c "import json, sys; print(json.load(sys.stdin)['trees'][0]['root']['id'])")
read -r unit units < <(extent "$root")
dd if=/dev/zero of=disk.img bs=4096 seek="$unit" count="$units" conv=notrunc status=none
# What nobody could be told is in the exit code.
expect 12 bash -c 'fsck.betr -n disk.img >/dev/full'
expect 12 bash -c 'fsck.betr -y --dry-run disk.img >/dev/full'
cp disk.img untold.img
expect 9 timeout 300 bash -c 'fsck.betr -y untold.img >/dev/full'
said "fsck.betr: stdout: write: No space left on device"
cp disk.img unread.img
expect 9 timeout 300 bash -c 'fsck.betr -y unread.img | true; exit "${PIPESTATUS[0]}"'
said "fsck.betr: stdout: write: Broken pipe"
expect 0 fsck.betr unread.img
expect 1 timeout 300 fsck.betr -y disk.img
printed "disk.img: [0-9]+ errors found, [0-9]+ things repaired, 0 errors left"
expect 0 fsck.betr disk.img
printed "disk.img: clean.*"
height=$(betrdump -i disk.img --json stat | python3 -c "
import json, sys
print(max(row['height'] for row in json.load(sys.stdin)['heights']))")
[ "$height" -le 8 ] || fail "height $height"
expect 0 betrcp -i disk.img -r :/lost+found/many saved
python3 - <<'PYTHON'
for number in range(3000):
    with open(f"saved/f{number:04}") as file:
        assert file.read() == f"{number} " * (20000 if number % 100 == 0 else number % 1000 + 1), number
PYTHON

# An image that was cut in the middle of its nodes: the node table and the catalogs lay behind.
expect 0 mkfs.betr -f -s 64M --node-size 16K -d tree disk.img
middle=$(betrdump -i disk.img --json table | python3 -c "
import json, sys
units = sorted(n['extent']['unit'] for n in json.load(sys.stdin)['nodes'])
print(units[len(units) // 2])")
truncate -s $((middle * 4096)) disk.img
expect 4 fsck.betr -y disk.img
said "fsck.betr: .*, the device only $((middle * 4096)): its end is missing: .* \(truncate -s 67108864\).*"
truncate -s 64M disk.img
expect 1 timeout 300 fsck.betr -y disk.img
expect 0 fsck.betr -f disk.img
expect 0 betrcp -i disk.img -r :/ rest
python3 - <<'PYTHON'
import pathlib, re
whole = 0
for path in pathlib.Path("rest").rglob("f*"):
    number = re.fullmatch(r"f(\d{4})", path.name)
    if number:
        n = int(number[1])
        whole += path.read_text() == f"{n} " * (20000 if n % 100 == 0 else n % 1000 + 1)
assert whole >= 500, whole  # of the others the root was behind the cut: they lie in /lost+found without their names
PYTHON
