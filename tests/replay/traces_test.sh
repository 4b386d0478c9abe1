#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Replays every trace of a collection, in an image and in a directory, serially and by threads, and converted, and wants
# the recorded final state, no difference, every line parsed, no call left undone but those that are known, and of the
# converted trace the same bytes when it was text. The collection is a folder, named by BETR_TRACES, with
# NAME.strace.zst, NAME.manifest.zst and NAME.final.zst; below format-variants/ there may be several forms of one trace,
# with all.manifest.zst and all.final.zst. One form, which has successful calls with paths only, need not come out
# right. Needs some GiB in TMPDIR and, for directories, root.
set -euo pipefail

collection=${BETR_TRACES:-}
if [ ! -d "$collection" ]; then
  echo "skipped: BETR_TRACES names no folder of traces"
  exit 77
fi
PATH=$BETR_BIN_DIR:$PATH
unset BETR_IMAGE
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

new_image() {
  rm -f "$work/disk.img"
  mkfs.betr -q -s 16G "$work/disk.img"
}

new_directory() {
  rm -rf "$work/dir"
  mkdir "$work/dir"
}

# replay NAME MANIFEST FINAL TRACE...
replay() {
  local name=$1 before=$2 after=$3
  shift 3
  new_image
  run "$name" image -i "$work/disk.img" --manifest "$before" --check "$after" "$@"
  new_image
  run "$name" "image, threads" -i "$work/disk.img" --threads --manifest "$before" --check "$after" "$@"
  new_image
  rm -f "$work/converted"
  betrreplay -q --manifest "$before" --convert "$work/converted" "$@" >/dev/null || failed=1
  run "$name" converted -i "$work/disk.img" --check "$after" "$work/converted"
  rm -f "$work/text" "$work/back"
  betrreplay -q --convert "$work/text" "$work/converted" >/dev/null || failed=1
  betrreplay -q --convert "$work/back" "$work/text" >/dev/null || failed=1
  cmp "$work/converted" "$work/back" || failed=1
  if [ "$(id -u)" = 0 ]; then
    new_directory
    run "$name" directory --dir "$work/dir" --manifest "$before" --check "$after" "$@"
    new_directory
    run "$name" "directory, threads" --dir "$work/dir" --threads --manifest "$before" --check "$after" "$@"
  fi
}

# judge NAME: whether the report in $work/out understands its trace as a whole, but for what is known of it.
judge() {
  python3 - "$work/out" "$1" <<'PYTHON'
import json, sys
# What is not done or contradicts itself, and how often at most.
KNOWN = {
    "debootstrap": {
        # It mounts /proc in its root. Replay does not, nor is what it finds there in the trace: the directory below
        # keeps its own mode.
        "mount": 1,
        "umount2": 7,
        "stat: another mode by the name space": 5,
    },
}
report, name = json.load(open(sys.argv[1], encoding="utf-8")), sys.argv[2]
known = KNOWN.get(name, {})
wrong = []
if report["trace"]["unparsed"]:
    wrong += report["trace"]["unparsed_samples"]
for kind in ("conflicts", "unsupported"):
    for what, count in report["calls"][kind].items():
        if count > known.get(what, 0):
            wrong.append(f"{kind}: {count} times {what}")
check = report["check"]
print(f"{check['objects']} objects" if not wrong else "\n".join(wrong + report["calls"]["conflict_samples"]))
sys.exit(1 if wrong else 0)
PYTHON
}

# run NAME WHAT ARGUMENT...
run() {
  local name=$1 what=$2 judged
  shift 2
  if betrreplay --json "$@" >"$work/out" 2>"$work/err" && judged=$(judge "$name"); then
    echo "ok      $name, $what: $judged"
  else
    echo "FAILED  $name, $what: ${judged:-$(cat "$work/err" "$work/out")}"
    failed=1
  fi
}

for trace in "$collection"/*.strace.zst; do
  name=${trace%.strace.zst}
  replay "$(basename "$name")" "$name.manifest.zst" "$name.final.zst" "$trace"
done
variants=$collection/format-variants
for variant in "$variants"/*; do
  name=$(basename "$variant" .strace.zst)
  case $name in
  all.*) continue ;;
  *file-only*) betrreplay --manifest "$variants/all.manifest.zst" "$variant" >"$work/out" || failed=1 ;;
  *)
    traces=("$variant")
    if [ -d "$variant" ]; then traces=("$variant"/*); fi
    replay "$name" "$variants/all.manifest.zst" "$variants/all.final.zst" "${traces[@]}"
    ;;
  esac
done
exit $failed
