# Objects are the same in every checkout: paths are relative to it.
find_program(CTXMGR_CCACHE_PROGRAM ccache)
mark_as_advanced(CTXMGR_CCACHE_PROGRAM)
if(CTXMGR_CCACHE AND CTXMGR_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ccache)
endif()
