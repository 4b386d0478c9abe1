#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build under test with each of the directories that may be absolute in a place of its own, in a tree that
# DESTDIR names, and with relative ones in a prefix that is moved afterwards: links and betr.pc are right.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "install_places: $*" >&2
  exit 1
}

# configure VARIABLE=VALUE...: a build without a build: with the programs and libraries of the other one.
configure() {
  rm -rf "$work/build"
  mkdir -p "$work/build/lib"
  ln -s "$BETR_BIN_DIR" "$work/build/bin"
  ln -s "$BETR_BUILD_DIR"/lib/libbetr.* "$work/build/lib"
  cmake -S "$BETR_SOURCE_DIR" -B "$work/build" -G Ninja -D BUILD_TESTING=OFF -D BETR_BENCH=OFF "${@/#/-D}" \
    >"$work/cmake.log" 2>&1 || fail "$(cat "$work/cmake.log")"
}

# names LIBDIR INCLUDEDIR: betr.pc in the former does.
names() {
  local flags
  flags=$(PKG_CONFIG_PATH=$1/pkgconfig pkg-config --cflags --libs betr)
  [[ " $flags " =~ " -I"([^ ]*)" ".*" -L"([^ ]*)" " ]] || fail "flags: $flags"
  [ "$(realpath "${BASH_REMATCH[1]}")" = "$2" ] && [ "$(realpath "${BASH_REMATCH[2]}")" = "$1" ] || fail "flags: $flags"
}

# links SBIN: of mount(8)'s helpers, where mount.betr was built.
links() {
  local name
  [ -x "$BETR_BIN_DIR/mount.betr" ] || return 0
  for name in mount.betr mount.fuse.betr umount.betr umount.fuse.betr; do
    [ -x "$1/$name" ] || fail "no $1/$name: $(find "$work/root" "$work/moved" -name "*mount*")"
  done
}

configure CMAKE_INSTALL_PREFIX="$work/prefix" \
  CMAKE_INSTALL_{LIBDIR="$work/places/lib",INCLUDEDIR="$work/places/include"} \
  CMAKE_INSTALL_{SBINDIR="$work/places/sbin",BINDIR="$work/places/bin",MANDIR="$work/places/man"} \
  CMAKE_INSTALL_DATADIR="$work/places/data"
DESTDIR=$work/root cmake --install "$work/build" >"$work/install.log"
links "$work/root$work/places/sbin"
[ ! -e "$work/places" ] || fail "DESTDIR was not asked: $(find "$work/places")"
cmake --install "$work/build" >"$work/install.log"
links "$work/places/sbin"
names "$work/places/lib" "$work/places/include"

configure CMAKE_INSTALL_PREFIX=/nowhere CMAKE_INSTALL_LIBDIR=lib/here CMAKE_INSTALL_INCLUDEDIR="$work/places/include"
cmake --install "$work/build" --prefix "$work/other" >"$work/install.log"
mv "$work/other" "$work/moved"
links "$work/moved/sbin"
names "$work/moved/lib/here" "$work/places/include"
