#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# store_bench, where it was built: what it writes, that a workload that fails is told by the exit status, and that the
# data is gone in the end, also after a signal.
source "$BETR_SOURCE_DIR/tests/tools/checks.sh"

bench=$BETR_BIN_DIR/store_bench
if [ ! -x "$bench" ]; then
  echo "skipped: store_bench was not built"
  exit 77
fi
mkdir data

expect 0 "$bench" --dir data --keys 1000 --clone-keys 1000 --durable-puts 10 --json ratios.json \
  --engines betr --experiment copy-at-once
[ -z "$(ls data)" ] || fail "data is left: $(find data)"
python3 - ratios.json <<'PY' || fail "wrong: $(cat ratios.json)"
import json, sys
found = json.load(open(sys.argv[1], encoding="utf-8"))
assert found["settings"]["experiments"] == "copy-at-once", found["settings"]
assert found["settings"]["clone_keys"] == 1000, found["settings"]
assert {"put_random", "get_cold", "upsert", "clone_1000"} <= {entry["name"] for entry in found["workloads"]}
assert all(entry["engines"]["betr"]["ops_per_s"] > 0 for entry in found["workloads"])
PY

# Values are too large, but counters are not.
expect 1 "$bench" --dir data --keys 1000 --clone-keys 0 --value-size 2000000 --engines betr
grep -q "^| upsert | [0-9]" out || fail "no workload was done: $(cat out err)"
[ -z "$(ls data)" ] || fail "data is left: $(find data)"

has_begun() {
  [ -n "$(find data -name image.betr)" ]
}
terminated 143 has_begun "$bench" --dir data --keys 1000000000 --engines betr
[ -z "$(ls data)" ] || fail "data is left after a signal: $(find data)"
