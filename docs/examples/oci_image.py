#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes root directories of container images in a betr image, with betrcp: each layer is unpacked once, over a clone of
what the layers below make, so that images share what they have in common and a further container is one clone.

usage: oci_image.py BETR-IMAGE LAYOUT NAME

LAYOUT is a directory as the image specification of the Open Container Initiative has it (`skopeo copy ... oci:LAYOUT`),
with one image, or one for linux/amd64. The result is :/images/NAME. What its layers make, one upon the other, stays in
:/layers under names that are made of their digests; nothing refers to it, so it may be removed. One run at a time.
"""

import hashlib
import json
import os
import re
import subprocess
import sys


class Layout:
    def __init__(self, path):
        self.path = path

    def blob(self, descriptor):
        """The path of a blob, which has the content that its descriptor names."""
        if not re.fullmatch("sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}", descriptor["digest"]):
            raise ValueError(f"{descriptor['digest']!r}: names no content")
        algorithm, _, name = descriptor["digest"].partition(":")
        path = os.path.join(self.path, "blobs", algorithm, name)
        digest = hashlib.new(algorithm)
        with open(path, "rb") as blob:
            while part := blob.read(1 << 20):
                digest.update(part)
        if digest.hexdigest() != name:
            sys.exit(f"oci_image.py: {path}: its content is another one than its name says")
        return path

    def document(self, descriptor):
        with open(self.blob(descriptor), encoding="utf-8") as document:
            return json.load(document)

    def manifest(self):
        with open(os.path.join(self.path, "index.json"), encoding="utf-8") as index:
            found = json.load(index)
        while "layers" not in found:
            manifests = found["manifests"]
            wanted = [entry for entry in manifests if Layout.is_for_this(entry.get("platform") or {})]
            images = {entry["digest"]: entry for entry in wanted or manifests}
            if len(images) != 1:
                sys.exit(f"oci_image.py: {self.path}: has {len(images)} images that it could be")
            found = self.document(*images.values())
        return found

    @staticmethod
    def is_for_this(platform):
        return platform.get("os") == "linux" and platform.get("architecture") == "amd64"


class Image:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        done = subprocess.run(["betrcp", "-i", self.path, *arguments], check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)  # it has said why

    def has(self, path):
        command = ["betrcp", "-i", self.path, "--list", path]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def add(self, layer, below, directory):
        """Makes `directory` of what the layers below make, and one more. Nobody sees a part of it there."""
        part = directory + ".part"
        if self.has(part):
            self.run("--remove", part)
        if below:
            self.run("--clone", below, part)
        else:
            self.run("--mkdir", "-p", part)
        self.run("--tar", "--layer", layer, ":" + part)
        self.run("-T", "--rename", part, directory)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    try:
        make(Image(sys.argv[1]), Layout(sys.argv[2]), sys.argv[3])
    except (AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
        sys.exit(f"oci_image.py: {sys.argv[2]}: cannot be used: {type(error).__name__}: {error}")


def make(image, layout, name):
    layers = layout.manifest()["layers"]
    image.run("--mkdir", "-p", "/layers", "/images")
    below, chain = None, ""
    for layer in layers:
        # Of what was checked: what a configuration says that layers hold may be what another image's do.
        chain = hashlib.sha256(f"{chain} {layer['digest']}".encode()).hexdigest()
        directory = "/layers/" + chain
        if not image.has(directory):
            image.add(layout.blob(layer), below, directory)
            print("unpacked", layer["digest"])
        below = directory
    if below:
        image.run("-T", "--clone", below, "/images/" + name)
    else:
        image.run("--mkdir", "/images/" + name)


if __name__ == "__main__":
    main()
