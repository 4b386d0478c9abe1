# SPDX-License-Identifier: Apache-2.0
# The layers, lowest first: a folder of lib/ each. A large layer has parts in folders of their own, which are layers
# like any other. A layer links exactly the layers named here, so a call upwards does not link; scripts/lint finds
# includes upwards.

set(BETR_LAYERS
  base dag dag/read dag/change device layout store/log store store/offline fs fs/check fs/transfer fs/tar c
  replay/trace replay/interpret replay/converted replay)
set(BETR_LAYER_DEPS_base)
set(BETR_LAYER_DEPS_dag base)
set(BETR_LAYER_DEPS_dag/read base dag)
set(BETR_LAYER_DEPS_dag/change base dag dag/read)
set(BETR_LAYER_DEPS_device base)
set(BETR_LAYER_DEPS_layout base dag device)
set(BETR_LAYER_DEPS_store/log base device layout)
set(BETR_LAYER_DEPS_store base dag dag/read dag/change device layout store/log)
set(BETR_LAYER_DEPS_store/offline base dag dag/read device layout store/log store)
set(BETR_LAYER_DEPS_fs base store)
set(BETR_LAYER_DEPS_fs/check base store store/offline fs)
set(BETR_LAYER_DEPS_fs/transfer base store fs)
set(BETR_LAYER_DEPS_fs/tar base fs fs/transfer)
set(BETR_LAYER_DEPS_c base store store/offline fs)
set(BETR_LAYER_DEPS_replay/trace base device)
set(BETR_LAYER_DEPS_replay/interpret base fs replay/trace)
set(BETR_LAYER_DEPS_replay/converted base device fs replay/trace replay/interpret)
set(BETR_LAYER_DEPS_replay
  base device layout store fs fs/transfer replay/trace replay/interpret replay/converted)

# Those that are for our own programs only: not in libbetr.
set(BETR_PROGRAM_LAYERS fs/tar replay/trace replay/interpret replay/converted replay)

# betr_layer_target(<variable> <layer>): the name of the library of a layer: betr_dag_read for dag/read.
function(betr_layer_target variable layer)
  string(REPLACE "/" "_" name "betr_${layer}")
  set(${variable} ${name} PARENT_SCOPE)
endfunction()

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
