#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The exit codes of test executables: 77 is for a case that is skipped, not for one that says so and fails.
source "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

expect 77 betr_base_test "skip: a case that is skipped"
printed "skipped: here"
expect 1 betr_base_test "skip: a case that says so and fails"
printed "skipped: here"
expect 1 betr_base_test "skip: a case with as many failures as the exit code of one that is skipped"
expect 0 betr_base_test "skip: a case that passes"
# Which of several are skipped is of no interest to CTest, which runs them one by one.
expect 0 betr_base_test "skip: a case that passes","skip: a case that is skipped"
