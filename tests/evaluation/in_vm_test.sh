#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/in-vm: what it refuses, with nothing left behind; and, where a kernel was put beforehand (BETR_IN_VM, a folder
# that bench/in-vm has worked in), that a command runs there and its exit status and files come back.
source "$BETR_SOURCE_DIR/tests/tools/checks.sh"
in_vm=$BETR_SOURCE_DIR/bench/in-vm

expect 0 "$in_vm" --help
printed 'bench/in-vm .*COMMAND.*'
silent
expect 2 "$in_vm"
said '.*which command.*'
expect 2 "$in_vm" --memroy 1 true
said '.*--memroy: there is no such option.*'
expect 2 "$in_vm" --out
said '.*--out wants a value.*'
expect 2 "$in_vm" --memory 1G true
said '.*--memory 1G: wants a number of MiB'
PATH=/nowhere expect 1 /bin/bash "$in_vm" true
said '.*qemu-system-x86_64: not installed'
[ ! -e in-vm ] || fail "there is a folder in-vm"

[ -n "${BETR_IN_VM-}" ] || exit 0
expect 3 "$in_vm" --out "$BETR_IN_VM" --memory 1024 bash -c 'cat /sys/fs/cgroup/cgroup.controllers >/out/has; exit 3'
grep -qw memory "$BETR_IN_VM/result/has" || fail "the virtual machine has no cgroup 2 with memory"
