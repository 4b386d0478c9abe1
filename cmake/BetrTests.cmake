# SPDX-License-Identifier: Apache-2.0
# How tests reach CTest: every Catch2 test case is a CTest test of its own, so that they run in parallel and fail one
# by one. A test case with the tag [long] gets the label `long`, every other one `default`; each also has the label
# of its folder. A test that exits with 77 counts as skipped, and prints a line "skipped: <reason>"; one that leaves
# something out prints "not done: <what and why>". scripts/test-summary repeats both.

# betr_add_layer_test(<folder>): tests/<folder>/*.cc, and *.c, as the executable betr_<folder>_test.
function(betr_add_layer_test folder)
  betr_add_script_tests(${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc ${folder}/*.c)
  if(NOT sources)
    return()
  endif()
  set(target betr_${folder}_test)
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE betr_${folder}_test_support betr_options)
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${target}.cmake")
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM BYPRODUCTS "${list}"
    COMMAND "${CMAKE_COMMAND}" -D "EXECUTABLE=$<TARGET_FILE:${target}>" -D "FOLDER=${folder}" -D "OUTPUT=${list}"
      -D "BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" -P "${PROJECT_SOURCE_DIR}/cmake/ListTestCases.cmake")
  # Until it is built, an executable counts as one test that cannot run.
  set(include "${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake")
  file(WRITE "${include}" "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n"
    "  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include}")
endfunction()

# betr_add_script_tests(<folder>): tests/<folder>/*_test.sh, run by bash with BETR_SOURCE_DIR, BETR_BUILD_DIR and
# BETR_BIN_DIR set. A script that exits with 77 is skipped; one named *_long_test.sh has the label `long`.
function(betr_add_script_tests folder)
  file(GLOB scripts CONFIGURE_DEPENDS ${folder}/*_test.sh)
  foreach(script IN LISTS scripts)
    get_filename_component(name "${script}" NAME_WE)
    set(label default)
    if(name MATCHES "_long_test$")
      set(label long)
    endif()
    string(REGEX REPLACE "_test$" "" name "${name}")
    if(NOT name STREQUAL folder)
      set(name "${folder}: ${name}")
    endif()
    add_test(NAME "${name}" COMMAND bash "${script}")
    set_tests_properties("${name}" PROPERTIES LABELS "${label};${folder}" TIMEOUT 1800 SKIP_RETURN_CODE 77
      ENVIRONMENT "BETR_SOURCE_DIR=${PROJECT_SOURCE_DIR};BETR_BUILD_DIR=${PROJECT_BINARY_DIR};\
BETR_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  endforeach()
endfunction()
