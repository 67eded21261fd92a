# Headers, CMake package and pkg-config files. The libraries themselves are installed where they are made.
include(CMakePackageConfigHelpers)

set(ctxmgr_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ctxmgr)
get_property(ctxmgr_components GLOBAL PROPERTY CTXMGR_COMPONENTS)

set(excluded_headers "")
if(NOT testing IN_LIST ctxmgr_components)
  set(excluded_headers PATTERN testing EXCLUDE)
endif()
install(DIRECTORY include/ctxmgr DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" ${excluded_headers})

# One export set for each component, so that find_package loads only what is asked for.
install(EXPORT ctxmgrTargets NAMESPACE ctxmgr:: DESTINATION ${ctxmgr_package_dir})
foreach(component IN LISTS ctxmgr_components)
  install(EXPORT ctxmgr_${component}Targets NAMESPACE ctxmgr:: DESTINATION ${ctxmgr_package_dir})
endforeach()

if(BUILD_SHARED_LIBS)
  set(ctxmgr_is_static FALSE)
else()
  set(ctxmgr_is_static TRUE)
endif()
configure_package_config_file(cmake/ctxmgrConfig.cmake.in ${PROJECT_BINARY_DIR}/ctxmgrConfig.cmake
  INSTALL_DESTINATION ${ctxmgr_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ctxmgrConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ctxmgrConfig.cmake ${PROJECT_BINARY_DIR}/ctxmgrConfigVersion.cmake
  DESTINATION ${ctxmgr_package_dir})
install(FILES cmake/Findutf8proc.cmake cmake/Findlibstemmer.cmake cmake/Findhiredis.cmake cmake/FindSOCI.cmake
  DESTINATION ${ctxmgr_package_dir}/modules)
install(FILES LICENSE THIRD_PARTY_NOTICES.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# ctxmgr_install_pc(LIBRARY [REQUIRES pkg …] [NEEDS pkg …] [NEEDS_LIBS flag …]): `pkg-config --libs` has to suffice, so
# that a static library, which needs them, names its own dependencies as well.
function(ctxmgr_install_pc library)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "REQUIRES;NEEDS;NEEDS_LIBS")
  if(BUILD_SHARED_LIBS)
    unset(arg_NEEDS)
    unset(arg_NEEDS_LIBS)
  endif()
  string(REPLACE _ - ctxmgr_pc_name ${library})
  set(ctxmgr_pc_library ${library})
  list(JOIN arg_NEEDS_LIBS " " ctxmgr_pc_libs)
  set(requires ${arg_REQUIRES} ${arg_NEEDS})
  list(JOIN requires " " ctxmgr_pc_requires)
  # Relative to the file itself, so that a prefix can be moved, unless the directories are outside of the prefix.
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(ctxmgr_pc_prefix "\${pcfiledir}/${up}")
  foreach(dir IN ITEMS LIBDIR INCLUDEDIR)
    string(TOLOWER ${dir} name)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
      set(ctxmgr_pc_prefix ${CMAKE_INSTALL_PREFIX})
      set(ctxmgr_pc_${name} ${CMAKE_INSTALL_${dir}})
    else()
      set(ctxmgr_pc_${name} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
  endforeach()
  configure_file(cmake/ctxmgr.pc.in ${PROJECT_BINARY_DIR}/${ctxmgr_pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${ctxmgr_pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set(needs_curl NEEDS libcurl)
set(needs_sqlite NEEDS sqlite3)
set(needs_redis NEEDS hiredis)
if(CTXMGR_REDIS_TLS)
  list(APPEND needs_redis openssl)
endif()
set(needs_sql NEEDS_LIBS -lsoci_core -lpq -lmariadb -ldl)
ctxmgr_install_pc(ctxmgr NEEDS fmt libutf8proc NEEDS_LIBS -lstemmer -pthread)
foreach(component IN LISTS ctxmgr_components)
  ctxmgr_install_pc(ctxmgr_${component} REQUIRES ctxmgr ${needs_${component}})
endforeach()
