# gRPC and protobuf, from Debian's packages or any newer installation, and the
# code that they generate.
#
# Newer protobuf installs a CMake package, which gRPC's own needs first;
# Debian 12's has only CMake's find module.

find_package(Protobuf CONFIG QUIET)
if(NOT Protobuf_FOUND)
  find_package(Protobuf REQUIRED)
endif()
find_package(gRPC CONFIG REQUIRED)

# Where protobuf's own .proto files (google/protobuf/*.proto) are, for
# installations whose protoc does not know.
set(_scatterd_proto_includes ${Protobuf_INCLUDE_DIRS})
get_target_property(_dirs protobuf::libprotobuf INTERFACE_INCLUDE_DIRECTORIES)
if(_dirs)
  list(APPEND _scatterd_proto_includes ${_dirs})
endif()
set(SCATTERD_PROTO_INCLUDES)
foreach(_dir IN LISTS _scatterd_proto_includes)
  if(EXISTS "${_dir}/google/protobuf/empty.proto")
    list(APPEND SCATTERD_PROTO_INCLUDES "${_dir}")
  endif()
endforeach()
list(REMOVE_DUPLICATES SCATTERD_PROTO_INCLUDES)

# scatterd_generate(name ROOT dir [GRPC files...] [MESSAGES files...])
# A static library of the code generated from .proto files, whose names are
# relative to ROOT; GRPC files hold services too.  Nothing here is ours, so it
# compiles without the project's warnings, and its headers are system headers.
function(scatterd_generate name)
  cmake_parse_arguments(ARG "" "ROOT" "GRPC;MESSAGES" ${ARGN})
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  set(flags "-I${ARG_ROOT}")
  foreach(dir IN LISTS SCATTERD_PROTO_INCLUDES)
    list(APPEND flags "-I${dir}")
  endforeach()
  list(TRANSFORM ARG_GRPC PREPEND "${ARG_ROOT}/" OUTPUT_VARIABLE grpc_paths)
  list(TRANSFORM ARG_MESSAGES PREPEND "${ARG_ROOT}/" OUTPUT_VARIABLE paths)
  list(APPEND paths ${grpc_paths})

  # One command for each file; all depend on all, for a message that changes
  # also changes what imports it.
  set(sources)
  foreach(file IN LISTS ARG_GRPC ARG_MESSAGES)
    string(REGEX REPLACE "\\.proto$" "" stem "${file}")
    set(generated "${out}/${stem}.pb.h" "${out}/${stem}.pb.cc")
    set(grpc_flags)
    if(file IN_LIST ARG_GRPC)
      list(APPEND generated
        "${out}/${stem}.grpc.pb.h" "${out}/${stem}.grpc.pb.cc")
      set(grpc_flags "--grpc_out=${out}"
        "--plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>")
    endif()
    add_custom_command(
      OUTPUT ${generated}
      COMMAND ${CMAKE_COMMAND} -E make_directory "${out}"
      COMMAND protobuf::protoc ${flags} "--cpp_out=${out}" ${grpc_flags}
        "${ARG_ROOT}/${file}"
      DEPENDS ${paths}
      COMMENT "Generating code from ${file}"
      VERBATIM)
    list(APPEND sources ${generated})
  endforeach()

  add_library(${name} STATIC ${sources})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} SYSTEM PUBLIC $<BUILD_INTERFACE:${out}>)
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf)
  if(ARG_GRPC)
    target_link_libraries(${name} PUBLIC gRPC::grpc++)
  endif()
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
