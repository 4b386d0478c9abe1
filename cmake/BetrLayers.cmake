# SPDX-License-Identifier: Apache-2.0
# The layers, lowest first: a folder of lib/ each. A layer links exactly the layers named here, so a call upwards
# does not link; scripts/lint finds includes upwards.

set(BETR_LAYERS base dag device layout store fs c replay)
set(BETR_LAYER_DEPS_base)
set(BETR_LAYER_DEPS_dag base)
set(BETR_LAYER_DEPS_device base)
set(BETR_LAYER_DEPS_layout base dag device)
set(BETR_LAYER_DEPS_store base dag device layout)
set(BETR_LAYER_DEPS_fs base dag device layout store)
set(BETR_LAYER_DEPS_c base dag device layout store fs)
set(BETR_LAYER_DEPS_replay base dag device layout store fs)

# Those that are for our own programs only: not in libbetr.
set(BETR_PROGRAM_LAYERS replay)

# betr_add_module(<target> <source>...): a static library of our own. Without sources it becomes an empty interface
# library, so that others can link it from the first day of a folder on.
function(betr_add_module target)
  if(ARGN)
    add_library(${target} STATIC ${ARGN})
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/lib")
    target_link_libraries(${target} PRIVATE betr_options)
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${PROJECT_SOURCE_DIR}/lib")
  endif()
endfunction()

# betr_link(<target> <library>...): links publicly whatever kind of library the target has become.
function(betr_link target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_link_libraries(${target} INTERFACE ${ARGN})
  else()
    target_link_libraries(${target} PUBLIC ${ARGN})
  endif()
endfunction()
