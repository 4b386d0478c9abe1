#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A build with cmake, ninja and c++: of the lowest layer of betr and its tests, which run where they were built.
# Nothing is built twice, and what has changed is built again.
source "$(dirname "$0")/program.sh"
set -euo pipefail
needs cmake cmake
needs ninja ninja-build
source=$(cd "$(dirname "$0")/../../../.." && pwd)

mkdir "$mnt/source"
tar -C "$source" --exclude ./build --exclude ./.git -cf - . | tar -C "$mnt/source" -xpf -
cd "$mnt/source"
build() { cmake --build build -j2 -t betr_base_test "$@" >"$work/out" 2>&1 || fail "$(tail -20 "$work/out")"; }
export CCACHE_DISABLE=1
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DBETR_FUSE=OFF >"$work/out" 2>&1 ||
  fail "$(tail -20 "$work/out")"
build
build/bin/betr_base_test >"$work/out" 2>&1 || fail "$(tail -20 "$work/out")"
build
grep -q "no work to do" "$work/out" || fail "built twice: $(cat "$work/out")"
sleep 0.01
touch lib/base/coding.h
build -- -v
grep -q "coding\.cc" "$work/out" || fail "a change was not seen: $(cat "$work/out")"
cd "$work"
echo "built, run, built again: ok"
