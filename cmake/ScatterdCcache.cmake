# Compiles through ccache where it is installed and no launcher was chosen.
#
# Paths below the source folder are hashed relative to it and the compiler by
# its content; the language of messages does not count.  So every clone on a
# machine, and the image's build, share one cache.

if(SCATTERD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SCATTERD_CCACHE_PROGRAM ccache)
  mark_as_advanced(SCATTERD_CCACHE_PROGRAM)
  if(SCATTERD_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_COMPILERCHECK=content CCACHE_SLOPPINESS=locale
      ${SCATTERD_CCACHE_PROGRAM})
  endif()
endif()
