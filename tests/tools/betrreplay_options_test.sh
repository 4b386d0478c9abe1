#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrreplay: options that would do nothing, and what trying to write the picture leaves.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

printf '7 mkdir("/mnt/w/new", 0777) = 0\n' >trace

refuses_what_only_a_replay_does() {
  local vain
  for vain in "--speed 2" --threads "--seed 3"; do
    expect 2 betrreplay --convert made.trace $vain trace
    said "betrreplay: ${vain% *}: only with a replay"
    expect 2 betrreplay --print-manifest $vain trace
    said "betrreplay: ${vain% *}: only with a replay"
  done
  [ ! -e made.trace ] || fail "it was made"
  expect 0 betrreplay --convert made.trace trace
}

# The replay fails after the picture was tried.
leaves_a_link_to_nothing() {
  ln -s drawn.svg link.svg
  expect 1 betrreplay --dir no-such-directory --plot link.svg trace
  [ -L link.svg ] || fail "the link is gone"
  [ ! -e drawn.svg ] || fail "a picture of nothing"
  mkdir empty
  expect 0 betrreplay --dir empty --plot link.svg trace
  [ -L link.svg ] || fail "the link is gone"
  grep -q "<svg" drawn.svg || fail "nothing is drawn"
}

refuses_what_only_a_replay_does
leaves_a_link_to_nothing
