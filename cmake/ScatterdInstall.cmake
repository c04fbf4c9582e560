# What `cmake --install` installs, by component:
#   server       scatterd
#   client       scatterctl
#   development  the client library, its headers and CMake package
#
# A program that uses the library says find_package(scatterd) and links
# scatterd::client.

include(CMakePackageConfigHelpers)

# --- Programs --------------------------------------------------------------
if(TARGET scatterd)
  install(TARGETS scatterd RUNTIME COMPONENT server)
endif()
if(TARGET scatterctl)
  install(TARGETS scatterctl RUNTIME COMPONENT client)
endif()
# Scripts find both in one place of the build tree too.
foreach(program IN ITEMS scatterd scatterctl)
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  endif()
endforeach()

# --- The client library ----------------------------------------------------
if(NOT TARGET scatterd_client)
  return()
endif()

set(libraries tensor messages proto client)
# What scatterd/client.h shows of core.
set(core_headers buffer.h call.h dtype.h dtypes.inc errors.h float16.h
  graph.h operator_id.h ops/ops.inc options.h reduction.h reductions.inc shape.h
  tensor.h)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/scatterd)

# <prefix>/include/scatterd is the folder that holds client.h, and the root of
# core/.
foreach(library IN LISTS libraries)
  set_target_properties(scatterd_${library} PROPERTIES EXPORT_NAME ${library})
  target_include_directories(scatterd_${library} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/scatterd>)
endforeach()

list(TRANSFORM libraries PREPEND scatterd_ OUTPUT_VARIABLE targets)
install(TARGETS ${targets} EXPORT scatterd-targets
  ARCHIVE COMPONENT development)
install(EXPORT scatterd-targets NAMESPACE scatterd::
  DESTINATION ${package_dir} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/client/scatterd/client.h
  COMPONENT development DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/scatterd)
foreach(header IN LISTS core_headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/core/${header} COMPONENT development
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/scatterd/core/${folder})
endforeach()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/scatterd-config.cmake.in
  ${PROJECT_BINARY_DIR}/scatterd-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/scatterd-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/scatterd-config.cmake
  ${PROJECT_BINARY_DIR}/scatterd-config-version.cmake
  DESTINATION ${package_dir} COMPONENT development)
