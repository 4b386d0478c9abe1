#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Replays every trace of a collection, in an image and in a directory, serially and by threads, and converted, and wants
# the recorded final state and no difference. The collection is a folder, named by BETR_TRACES, with NAME.strace.zst,
# NAME.manifest.zst and NAME.final.zst; below format-variants/ there may be several forms of one trace, with
# all.manifest.zst and all.final.zst. One form, which has successful calls with paths only, need not come out right.
# Needs some GiB in TMPDIR and, for directories, root.
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

# replay WHAT MANIFEST FINAL TRACE...
replay() {
  local what=$1 before=$2 after=$3
  shift 3
  new_image
  run "$what, image" -i "$work/disk.img" --manifest "$before" --check "$after" "$@"
  new_image
  run "$what, image, threads" -i "$work/disk.img" --threads --manifest "$before" --check "$after" "$@"
  new_image
  rm -f "$work/converted"
  betrreplay -q --manifest "$before" --convert "$work/converted" "$@" >/dev/null || failed=1
  run "$what, converted" -i "$work/disk.img" --check "$after" "$work/converted"
  if [ "$(id -u)" = 0 ]; then
    new_directory
    run "$what, directory" --dir "$work/dir" --manifest "$before" --check "$after" "$@"
    new_directory
    run "$what, directory, threads" --dir "$work/dir" --threads --manifest "$before" --check "$after" "$@"
  fi
}

run() {
  local what=$1
  shift
  if betrreplay "$@" >"$work/out" 2>&1; then
    echo "ok      $what: $(grep '^check ' "$work/out")"
  else
    echo "FAILED  $what: $(cat "$work/out")"
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
