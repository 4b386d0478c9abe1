# SPDX-License-Identifier: Apache-2.0
# Language level, build types, warnings, sanitizers. The target betr_options carries what is ours alone and must
# not reach the users of an installed libbetr.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

# Enough debug information for stack traces; Check() does not depend on NDEBUG.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

find_program(BETR_CCACHE ccache)
if(BETR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${BETR_CCACHE}")
endif()

add_library(betr_options INTERFACE)
target_compile_options(betr_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<BOOL:${BETR_WERROR}>:-Werror>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
target_compile_definitions(betr_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

# Sanitizers go to everything, tests and tools included: half-instrumented programs report nonsense.
if(BETR_SANITIZE)
  add_compile_options(-fsanitize=${BETR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BETR_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 takes the instrumentation of std::function and std::regex for uses of uninitialised members.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
  if(BETR_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC says so of every std::atomic_thread_fence, also those inside Abseil's headers.
    add_compile_options(-Wno-tsan)
  endif()
endif()
