#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrreplay: what it prints of a trace gives no orders to a terminal.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

gives_no_orders_to_a_terminal() {
  printf '1 unlink("/mnt/w/\033[31mred") = -1 EEXIST (File exists)\n' >orders.strace
  expect 0 betrreplay -v orders.strace
  printed '  line 1: unlink: EEXIST in the trace, .*: unlink.*\\x1b\[31mred.*'
  expect 0 betrreplay --convert orders.trace orders.strace
  expect 0 betrreplay -v orders.trace
  printed '  line 1: unlink: EEXIST in the trace, .*: unlink.*\\x1b\[31mred.*'
}

gives_no_orders_to_a_terminal
