#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/test-summary on what CTest writes of tests that pass, fail, skip themselves, or cannot be run.
source "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

# summary CODE TEST...: of CTest's run of these, which exits with CODE, and the same for the summary.
summary() {
  local wanted=$1 code=0
  shift
  cmake -S . -B build -D "TESTS=$*" >cmake.out 2>&1 || fail "$(cat cmake.out)"
  ctest --test-dir build --output-junit "$work/results.xml" >ctest.out 2>&1 || code=$?
  [ $((code != 0)) = "$wanted" ] || fail "ctest: exit $code: $(cat ctest.out)"
  expect "$wanted" python3 "$BETR_SOURCE_DIR/scripts/test-summary" results.xml $code
}

ends_with() { [ "$(tail -1 out)" = "$1" ] || fail "not \"$1\": $(cat out)"; }

cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(tests NONE)
enable_testing()
set(skips "echo skipped: a reason\; exit")
set(command_passes sh -c "echo not done: the rest")
set(command_fails false)
set(command_fixture false)
set(command_code sh -c "${skips} 77")
set(command_regex sh -c "${skips} 0")
set(command_liar sh -c "${skips} 1")
set(command_missing /nonexistent/program)
set(command_lonely true)
set(command_late sleep 100)
separate_arguments(TESTS)
foreach(test IN LISTS TESTS)
  add_test(NAME ${test} COMMAND ${command_${test}})
endforeach()
function(has test)
  if(TEST ${test})
    set_tests_properties(${test} PROPERTIES ${ARGN})
  endif()
endfunction()
has(code SKIP_RETURN_CODE 77)
has(liar SKIP_RETURN_CODE 77)
has(regex SKIP_REGULAR_EXPRESSION "skipped: ")
has(fixture FIXTURES_SETUP something)
has(lonely FIXTURES_REQUIRED something)
has(late TIMEOUT 1)
CMAKE

summary 0 passes code regex
printed "not done: passes: the rest"
printed "skipped: code: a reason"
printed "skipped: regex: a reason"
ends_with "1 passed, 0 failed"
for failing in fails liar missing late; do
  summary 1 passes code $failing
  printed "failed: $failing(: .*)?"
  ends_with "1 passed, 1 failed"
done
summary 1 passes fixture lonely
printed "failed: lonely: Fixture dependency failed"
ends_with "1 passed, 2 failed"

# What CTest itself complains of counts as well.
summary 0 passes
expect 1 python3 "$BETR_SOURCE_DIR/scripts/test-summary" results.xml 8
ends_with "1 passed, 1 failed"
expect 1 python3 "$BETR_SOURCE_DIR/scripts/test-summary" absent.xml 0
ends_with "0 passed, 1 failed"
