#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/examples/betr.py, a binding without a compiler, does what it says with the libbetr.so that was built.
set -euo pipefail

if ! command -v python3 >/dev/null; then
  echo "skipped: no python3"
  exit 77
fi
if grep -q '^BETR_SANITIZE:[^=]*=.' "$BETR_BUILD_DIR/CMakeCache.txt"; then
  echo "skipped: a library with sanitizers cannot be loaded by a program without"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BETR_LIBRARY=$BETR_BUILD_DIR/lib/libbetr.so
example=$BETR_SOURCE_DIR/docs/examples/betr.py

PYTHONDONTWRITEBYTECODE=1 python3 -X dev "$example" "$work/image" >"$work/output"
diff - "$work/output" <<EOT
b'007' b'letter 7' b'with a zero \x00 byte'
b'500' b'letter 500' None
b'new' None b''
b'read' None b'30'
failed precondition: $work/image: the store is closed
b'letter 7' can still be read
EOT
"$BETR_BIN_DIR/fsck.betr" "$work/image" >"$work/output" 2>&1 || { cat "$work/output" && exit 1; }

if python3 "$example" "$work/image" 2>"$work/output"; then
  echo "an image was made over another"
  exit 1
fi
grep -q "^Error: already exists: " "$work/output"
