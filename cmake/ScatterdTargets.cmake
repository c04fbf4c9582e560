# How every target of this project is compiled.

add_library(scatterd_options INTERFACE)
target_compile_features(scatterd_options INTERFACE cxx_std_20)
# -ffp-contract=off: a contracted a*b+c has other bits than the two operations
# that the contract promises.
target_compile_options(scatterd_options INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wcast-align -Wunused -Wimplicit-fallthrough -Wno-missing-field-initializers
  # GCC 12 sees this in every move of an absl::InlinedVector.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  -ffp-contract=off)
if(SCATTERD_SANITIZE)
  target_compile_options(scatterd_options INTERFACE
    -fsanitize=${SCATTERD_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(scatterd_options INTERFACE
    -fsanitize=${SCATTERD_SANITIZE})
endif()
if(SCATTERD_SANITIZE STREQUAL "thread")
  # Headers of libraries look at __SANITIZE_THREAD__ too, and protobuf's then
  # lay out classes otherwise than the library was compiled.  The standard
  # library does need to know; our own code asks for SCATTERD_TSAN.
  target_compile_options(scatterd_options INTERFACE
    -U__SANITIZE_THREAD__ -D_GLIBCXX_TSAN=1 -DSCATTERD_TSAN=1)
endif()
if(SCATTERD_COVERAGE)
  target_compile_options(scatterd_options INTERFACE
    --coverage -fprofile-update=atomic)
  target_link_options(scatterd_options INTERFACE --coverage)
endif()

# scatterd_library(name SOURCES ... PUBLIC libs... PRIVATE libs...)
# A static library with the project's options and includes from its root.
function(scatterd_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${name}
    PUBLIC ${ARG_PUBLIC}
    PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:scatterd_options>)
  # Also for users of an installed library, whose headers are C++20.
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
