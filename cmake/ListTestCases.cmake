# SPDX-License-Identifier: Apache-2.0
# cmake -D EXECUTABLE=... -D FOLDER=... -D BIN_DIR=... -D OUTPUT=... -P ListTestCases.cmake
# Writes one add_test() per test case of a Catch2 executable. Each line of `--betr-list` is "tags<TAB>name".

execute_process(COMMAND "${EXECUTABLE}" --betr-list OUTPUT_VARIABLE listing RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${EXECUTABLE} --betr-list: exit ${result}")
endif()

set(script "")
# A CMake list would be torn at every semicolon and bracket of a name.
while(listing MATCHES "^([^\t\n]*)\t([^\n]*)\n")
  set(tags "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  string(LENGTH "${CMAKE_MATCH_0}" line_length)
  string(SUBSTRING "${listing}" ${line_length} -1 listing)
  if(tags MATCHES "\\[(\\.|!hide)\\]" AND NOT tags MATCHES "\\[long\\]")
    continue()  # hidden: to be run by hand
  endif()
  set(label default)
  if(tags MATCHES "\\[long\\]")
    set(label long)
  endif()
  # What Catch would read as more than one pattern, or as a tag.
  string(REGEX REPLACE "([][,\\])" "\\\\\\1" pattern "${name}")
  string(APPEND script "add_test([==[${FOLDER}: ${name}]==] [==[${EXECUTABLE}]==] [==[${pattern}]==])\n"
    "set_tests_properties([==[${FOLDER}: ${name}]==] PROPERTIES LABELS [==[${label};${FOLDER}]==]\n"
    "  TIMEOUT 1800 SKIP_RETURN_CODE 77\n"
    "  ENVIRONMENT [==[BETR_BIN_DIR=${BIN_DIR}]==])\n")
endwhile()
file(WRITE "${OUTPUT}" "${script}")
