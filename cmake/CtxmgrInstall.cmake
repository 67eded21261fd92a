# Headers, CMake package and pkg-config files. The libraries themselves are installed where they are made.
include(CMakePackageConfigHelpers)

set(ctxmgr_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ctxmgr)
get_property(ctxmgr_components GLOBAL PROPERTY CTXMGR_COMPONENTS)

set(excluded_headers "")
foreach(component IN ITEMS prompts testing)
  if(NOT component IN_LIST ctxmgr_components)
    list(APPEND excluded_headers PATTERN ${component} EXCLUDE)
  endif()
endforeach()
install(DIRECTORY include/ctxmgr DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ctxmgr_dev
  FILES_MATCHING PATTERN "*.hpp" ${excluded_headers} PATTERN c EXCLUDE)
if(CTXMGR_WITH_C)
  install(DIRECTORY bindings/python/ctxmgr DESTINATION lib/python3/dist-packages COMPONENT ctxmgr_python
    FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
  install(FILES bindings/node/index.js bindings/node/index.d.ts bindings/node/package.json DESTINATION ${CMAKE_INSTALL_DATADIR}/ctxmgr/node
    COMPONENT ctxmgr_c_dev)
  if(SKBUILD)
    # Python's wheel has the library beside the package, once and under the name that is loaded.
    set_target_properties(ctxmgr_c PROPERTIES VERSION 1)
    install(TARGETS ctxmgr_c LIBRARY DESTINATION ctxmgr NAMELINK_SKIP COMPONENT ctxmgr_wheel)
  endif()
  install(DIRECTORY include/ctxmgr/c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ctxmgr COMPONENT ctxmgr_c_dev)
endif()

# One export set for each component, so that find_package loads only what is asked for.
set(ctxmgr_libraries ctxmgr)
foreach(component IN LISTS ctxmgr_components)
  list(APPEND ctxmgr_libraries ctxmgr_${component})
endforeach()
if(CTXMGR_WITH_C)
  list(APPEND ctxmgr_libraries ctxmgr_c)
endif()
foreach(library IN LISTS ctxmgr_libraries)
  install(EXPORT ${library}Targets NAMESPACE ctxmgr:: DESTINATION ${ctxmgr_package_dir} COMPONENT ${library}_dev)
endforeach()

if(BUILD_SHARED_LIBS)
  set(ctxmgr_is_static FALSE)
else()
  set(ctxmgr_is_static TRUE)
endif()
set(ctxmgr_config_redis "")
if(CTXMGR_REDIS_TLS)
  set(ctxmgr_config_redis OpenSSL)
endif()
configure_package_config_file(cmake/ctxmgrConfig.cmake.in ${PROJECT_BINARY_DIR}/ctxmgrConfig.cmake
  INSTALL_DESTINATION ${ctxmgr_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ctxmgrConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ctxmgrConfig.cmake ${PROJECT_BINARY_DIR}/ctxmgrConfigVersion.cmake
  DESTINATION ${ctxmgr_package_dir} COMPONENT ctxmgr_dev)
install(FILES cmake/Findutf8proc.cmake cmake/Findlibstemmer.cmake cmake/Findhiredis.cmake cmake/FindSOCI.cmake
  DESTINATION ${ctxmgr_package_dir}/modules COMPONENT ctxmgr_dev)

# Headers point at pages, and pages at examples: they lie to each other as they do here.
install(FILES LICENSE THIRD_PARTY_NOTICES.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ctxmgr_dev)
install(FILES README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ctxmgr_doc)
# The reference, where somebody built it: the target `reference`, which needs doxygen.
find_program(CTXMGR_DOXYGEN doxygen)
mark_as_advanced(CTXMGR_DOXYGEN)
if(CTXMGR_DOXYGEN AND PROJECT_IS_TOP_LEVEL)
  add_custom_target(reference WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMAND ${CMAKE_COMMAND} -E env CTXMGR_DOXYGEN_OUT=${PROJECT_BINARY_DIR}/doxygen ${CTXMGR_DOXYGEN} docs/Doxyfile)
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/doxygen/html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ctxmgr_doc OPTIONAL)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ctxmgr_doc)

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
  install(FILES ${PROJECT_BINARY_DIR}/${ctxmgr_pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT ${library}_dev)
endfunction()

set(needs_prompts NEEDS libutf8proc)
set(needs_curl NEEDS libcurl)
set(needs_sqlite NEEDS "sqlite3 >= 3.37")
set(needs_redis NEEDS hiredis)
if(CTXMGR_REDIS_TLS)
  list(APPEND needs_redis openssl)
endif()
set(needs_sql NEEDS_LIBS -lsoci_core -lpq -lmariadb -ldl)
ctxmgr_install_pc(ctxmgr NEEDS libutf8proc NEEDS_LIBS -lstemmer -pthread)
foreach(component IN LISTS ctxmgr_components)
  ctxmgr_install_pc(ctxmgr_${component} REQUIRES ctxmgr ${needs_${component}})
endforeach()
if(CTXMGR_WITH_C)
  ctxmgr_install_pc(ctxmgr_c)
endif()
