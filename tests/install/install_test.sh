#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build under test and builds and runs tests/install/program and c_program against it, outside the tree:
# with CMake and with pkg-config, shared and static. A second source of the former includes every installed header, so
# that none needs what is not installed. The examples of docs/embedding.md are built, too, and do what is expected.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$BETR_BUILD_DIR/CMakeCache.txt")
c_compiler=$(sed -n 's/^CMAKE_C_COMPILER:[^=]*=//p' "$BETR_BUILD_DIR/CMakeCache.txt")
sanitize=$(sed -n 's/^BETR_SANITIZE:[^=]*=//p' "$BETR_BUILD_DIR/CMakeCache.txt")
sanitize=${sanitize:+-fsanitize=$sanitize}

cmake --install "$BETR_BUILD_DIR" --prefix "$prefix" >"$work/install.log"
libdir=$(dirname "$(find "$prefix" -name libbetr.a)")
cp -r "$BETR_SOURCE_DIR/tests/install/program" "$BETR_SOURCE_DIR/tests/install/c_program" "$work"
(cd "$prefix/include" && find betr -name '*.h' | sort | sed 's/.*/#include <&>/') >"$work/program/all_headers.cc"

fail() {
  echo "install: $*" >&2
  exit 1
}

with_cmake() { # <program|c_program> <shared|static>
  local build=$work/cmake-$1-$2 use_static=OFF
  [ "$2" = static ] && use_static=ON
  cmake -S "$work/$1" -B "$build" -G Ninja -D CMAKE_CXX_COMPILER="$compiler" -D CMAKE_CXX_FLAGS="$sanitize" \
    -D CMAKE_C_COMPILER="$c_compiler" -D CMAKE_C_FLAGS="$sanitize" \
    -D CMAKE_PREFIX_PATH="$prefix" -D BETR_USE_STATIC=$use_static >"$build.log" 2>&1 || fail "$(cat "$build.log")"
  cmake --build "$build" >"$build.log" || fail "$(cat "$build.log")"
  "$build/user" "$build.img"
  links_shared "$build/user" "$2"
}

with_pkg_config() { # <shared|static> <compiler> <source>...
  local flags kind=$1 program
  shift
  program=$(mktemp "$work/pkg-config-XXXXXX")
  if [ "$kind" = static ]; then
    flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs --static betr)
    flags=${flags/-lbetr/-Wl,-Bstatic -lbetr -Wl,-Bdynamic}
  else
    flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs betr)
  fi
  # shellcheck disable=SC2086  # flags are words
  "$@" $sanitize -o "$program" $flags
  LD_LIBRARY_PATH=$libdir "$program" "$program.img" >"$work/printed"
  links_shared "$program" "$kind"
}

links_shared() { # <program> <shared|static>
  local linked=static
  readelf -d "$1" >"$work/dynamic"
  grep -q 'NEEDED.*libbetr\.so' "$work/dynamic" && linked=shared
  [ "$linked" = "$2" ] || fail "$1 links the $linked libbetr"
}

for kind in shared static; do
  with_cmake program $kind
  with_cmake c_program $kind
  with_pkg_config $kind "$compiler" -std=c++20 "$work"/program/*.cc
  with_pkg_config $kind "$c_compiler" -std=c11 -Wall -Wextra -Wpedantic -Werror "$work/c_program/user.c"
done

embedding=$BETR_SOURCE_DIR/tests/install/embedding
mkdir "$work/fragments"
awk -v folder="$work/fragments" -f "$embedding/fragments.awk" "$prefix/share/doc/betr/docs/embedding.md"
examples() { # <compiler> <standard> <source>
  with_pkg_config shared "$@" -Wall -Wextra -Werror -I "$work/fragments"
  diff "$embedding/expected" "$work/printed" || fail "examples of docs/embedding.md in ${3##*/}: see above"
}
examples "$compiler" -std=c++20 "$embedding/user.cc"
examples "$c_compiler" -std=c11 "$embedding/user.c"

[ -s "$(find "$prefix" -name LICENSE)" ] || fail "no licence"
for page in $(grep -rhoE 'docs/[a-z_]+\.md' "$prefix/include" "$prefix/share/man" | sort -u); do
  [ -s "$prefix/share/doc/betr/$page" ] || fail "no $page, of which headers or manual pages speak"
done
pages=$prefix/share/doc/betr
for page in "$pages/README.md" "$pages"/docs/*.md; do
  for target in $(grep -oE '\]\([^)#: ]+[)#]' "$page" | sed 's/^](//; s/.$//' | sort -u); do
    [ -e "${page%/*}/$target" ] || fail "${page#"$pages/"} links $target, which is not installed"
  done
done
for file in share/betr/betr.magic lib/udev/rules.d/61-betr.rules; do
  cmp "$prefix/$file" "$BETR_SOURCE_DIR/packaging/${file##*/}" || fail "no $file"
done
[ -x "$prefix/lib/udev/betr_id" ] || fail "no program for the rule of udev"
[ -s "$prefix/share/zsh/site-functions/_betr" ] || fail "no completion for zsh"
for tool in "$prefix"/bin/*; do
  [ -e "$tool" ] || continue
  "$tool" --version >/dev/null || fail "$tool --version: exit $?"
  [ -s "$prefix/share/bash-completion/completions/${tool##*/}" ] || fail "no completion for ${tool##*/}"
done
