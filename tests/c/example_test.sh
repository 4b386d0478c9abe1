#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/examples/betr.py and betr_fs.py, bindings without a compiler, do what they say with the libbetr.so of this build.
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
export PYTHONDONTWRITEBYTECODE=1
example=$BETR_SOURCE_DIR/docs/examples/betr.py

python3 -X dev "$example" "$work/image" >"$work/output"
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

python3 -X dev "$BETR_SOURCE_DIR/docs/examples/betr_fs.py" "$work/fs" >"$work/output"
diff - "$work/output" <<'EOT'
('', True, True)
('new', False, True)
('src/07.c', True, True)
b'int main(void) { return 7; }\n' b'#error\n'
drwxr-xr-x 100 files
/sandbox/src/100.c: No such file or directory
['project']
EOT
"$BETR_BIN_DIR/fsck.betr" "$work/fs" >"$work/output" 2>&1 || { cat "$work/output" && exit 1; }
