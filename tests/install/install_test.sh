#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build under test and builds and runs tests/install/program against it, outside the tree: with CMake and
# with pkg-config, shared and static. A second source includes every installed header, so that none needs what is not
# installed.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$BETR_BUILD_DIR/CMakeCache.txt")
sanitize=$(sed -n 's/^BETR_SANITIZE:[^=]*=//p' "$BETR_BUILD_DIR/CMakeCache.txt")
sanitize=${sanitize:+-fsanitize=$sanitize}

cmake --install "$BETR_BUILD_DIR" --prefix "$prefix" >"$work/install.log"
libdir=$(dirname "$(find "$prefix" -name libbetr.a)")
cp -r "$BETR_SOURCE_DIR/tests/install/program" "$work/program"
(cd "$prefix/include" && find betr -name '*.h' | sort | sed 's/.*/#include <&>/') >"$work/program/all_headers.cc"

fail() {
  echo "install: $*" >&2
  exit 1
}

with_cmake() { # <shared|static>
  local build=$work/cmake-$1 use_static=OFF
  [ "$1" = static ] && use_static=ON
  cmake -S "$work/program" -B "$build" -G Ninja -D CMAKE_CXX_COMPILER="$compiler" -D CMAKE_CXX_FLAGS="$sanitize" \
    -D CMAKE_PREFIX_PATH="$prefix" -D BETR_USE_STATIC=$use_static >"$build.log" || fail "$(cat "$build.log")"
  cmake --build "$build" >"$build.log" || fail "$(cat "$build.log")"
  "$build/user"
  links_shared "$build/user" "$1"
}

with_pkg_config() { # <shared|static>
  local flags program=$work/pkg-config-$1
  if [ "$1" = static ]; then
    flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs --static betr)
    flags=${flags/-lbetr/-Wl,-Bstatic -lbetr -Wl,-Bdynamic}
  else
    flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs betr)
  fi
  # shellcheck disable=SC2086  # flags are words
  "$compiler" -std=c++20 $sanitize "$work"/program/*.cc -o "$program" $flags
  LD_LIBRARY_PATH=$libdir "$program"
  links_shared "$program" "$1"
}

links_shared() { # <program> <shared|static>
  local linked=static
  readelf -d "$1" | grep -q 'NEEDED.*libbetr\.so' && linked=shared
  [ "$linked" = "$2" ] || fail "$1 links the $linked libbetr"
}

for kind in shared static; do
  with_cmake $kind
  with_pkg_config $kind
done
[ -s "$(find "$prefix" -name LICENSE)" ] || fail "no licence"
for file in share/betr/betr.magic lib/udev/rules.d/61-betr.rules; do
  cmp "$prefix/$file" "$BETR_SOURCE_DIR/packaging/${file##*/}" || fail "no $file"
done
[ -x "$prefix/lib/udev/betr_id" ] || fail "no program for the rule of udev"
for tool in "$prefix"/bin/*; do
  [ -e "$tool" ] || continue
  "$tool" --version >/dev/null || fail "$tool --version: exit $?"
done
