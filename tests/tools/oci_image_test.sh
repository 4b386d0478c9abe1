#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/examples/oci_image.py: container images become directories that share their layers.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

command -v python3 >/dev/null || exit 77
export BETR_IMAGE=$PWD/disk.img
mkfs.betr -q -s 64M disk.img

# A layout of two layers, the second one compressed, with something that is gone, behind an index for two systems. Its
# configuration says what the layers hold, or lies.
cat >make_layout.py <<'CODE'
import gzip, hashlib, io, json, os, sys, tarfile

def blob(top, content):
    name = hashlib.sha256(content).hexdigest()
    with open(os.path.join(top, "blobs/sha256", name), "wb") as file:
        file.write(content)
    return {"digest": "sha256:" + name, "size": len(content)}

def layer(files):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(path)
            member.type = tarfile.REGTYPE if text is not None else tarfile.DIRTYPE
            member.size = len(text or "")
            archive.addfile(member, io.BytesIO((text or "").encode()))
    return content.getvalue()

top, first, second = sys.argv[1:]
os.makedirs(os.path.join(top, "blobs/sha256"))
layers = [layer({"etc/": None, "etc/os": first, "etc/motd": "hello", "bin": "program"}),
          layer({"etc/.wh.motd": "", "app": second})]
claims = [layer({"etc/": None, "etc/os": "base", "etc/motd": "hello", "bin": "program"}), layers[1]]
config = {"rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(one).hexdigest() for one in claims]}}
manifest = {"config": blob(top, json.dumps(config).encode()),
            "layers": [blob(top, layers[0]), blob(top, gzip.compress(layers[1]))]}
other = {"config": blob(top, b"{}"), "layers": []}
index = {"manifests": [
    {**blob(top, json.dumps(other).encode()), "platform": {"os": "linux", "architecture": "other"}},
    {**blob(top, json.dumps(manifest).encode()), "platform": {"os": "linux", "architecture": "amd64"}}]}
with open(os.path.join(top, "index.json"), "w") as file:
    json.dump({"manifests": [blob(top, json.dumps(index).encode())]}, file)
CODE
python3 make_layout.py one base first
python3 make_layout.py two base other
python3 make_layout.py liar evil liar
oci() { python3 "$BETR_SOURCE_DIR/docs/examples/oci_image.py" "$@"; }

# Whatever another image says of its layers: nobody gets those who does not name them.
expect 0 oci disk.img liar liar
expect 0 betrcp --cat images/liar/etc/os
[ "$(cat out)" = evil ] || fail "$(cat out)"
expect 0 oci disk.img one first
[ "$(grep -c ^unpacked out)" = 2 ] || fail "$(cat out)"
expect 0 betrcp --cat images/first/etc/os
[ "$(cat out)" = base ] || fail "$(cat out)"
expect 0 betrcp --list -R images/first
diff <(sort out) <(printf '%s\n' app bin etc etc/os) || fail "what is in the image"
# The second one has the first layer already, and the same name again is the same image.
expect 0 oci disk.img two second
[ "$(grep -c ^unpacked out)" = 1 ] || fail "$(cat out)"
expect 0 betrcp --cat images/first/app images/second/app images/second/bin
[ "$(cat out)" = firstotherprogram ] || fail "$(cat out)"
expect 0 betrcp --diff images/first images/second
diff out <(echo "M app") || fail "what differs"
# What an interrupted run has left is not taken for a layer.
expect 0 betrcp --list layers
grep -q "part" out && fail "$(cat out)"
layer=$(grep -m 1 . out)
expect 0 betrcp --rename "layers/$layer" "layers/$layer.part"
expect 0 oci disk.img one third
expect 0 betrcp --diff images/first images/third
[ ! -s out ] || fail "$(cat out)"
# A name that is taken stays what it is.
expect 1 oci disk.img two first
said "betrcp: clone: .*images/first.*: File exists"
# Blobs that were damaged are not unpacked.
for blob in one/blobs/sha256/*; do echo >>"$blob"; done
expect 1 oci disk.img one fourth
said "oci_image.py: .*: its content is another one than its name says"
expect 1 betrcp --list images/fourth

# What is no layout, or has not one image, is said to be that.
is_none() {
  mkdir -p none
  printf '%s' "$1" >none/index.json
  expect 1 oci disk.img none none
  said "oci_image.py: none: $2"
  [ "$(wc -l <err)" = 1 ] || fail "$(cat err)"
}
expect 1 oci disk.img nowhere none
said "oci_image.py: nowhere: cannot be used: .*No such file.*"
is_none '{' "cannot be used: .*"
is_none '[]' "cannot be used: .*"
is_none "$(printf '%99999s' | tr ' ' '[')" "cannot be used: RecursionError.*"
is_none '{}' "cannot be used: .*manifests.*"
is_none '{"manifests": []}' "has 0 images that it could be"
is_none '{"manifests": [{"digest": "a:1", "platform": null}, {"digest": "a:2"}]}' "has 2 images that it could be"
is_none "{\"manifests\": [{\"digest\": \"sha256:$(printf '%064d' 1)\"}]}" "cannot be used: .*No such file.*"
for digest in "" md5:12 sha256:12 sha256:../../index.json sha256:../../../../../../dev/zero; do
  is_none "{\"manifests\": [{\"digest\": \"$digest\"}]}" "cannot be used: .*names no content.*"
done
# One without layers is an empty directory.
printf '{"layers": []}' >none/index.json
expect 0 oci disk.img none empty
expect 0 betrcp --list images/empty
silent
expect 0 fsck.betr disk.img
