# SOCI::core, SOCI::postgresql and SOCI::mysql, with the headers of the clients below them. Debian's libsoci-dev has no
# CMake files. SOCI's headers include Boost's, and its backends' headers those of libpq and libmariadb.
find_path(SOCI_INCLUDE_DIR soci/soci.h)
find_library(SOCI_core_LIBRARY NAMES soci_core)
find_library(SOCI_postgresql_LIBRARY NAMES soci_postgresql)
find_library(SOCI_mysql_LIBRARY NAMES soci_mysql)
find_path(SOCI_BOOST_INCLUDE_DIR boost/optional.hpp)
find_path(SOCI_postgresql_CLIENT_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)
find_path(SOCI_mysql_CLIENT_INCLUDE_DIR mysql.h PATH_SUFFIXES mariadb mysql)
mark_as_advanced(SOCI_INCLUDE_DIR SOCI_core_LIBRARY SOCI_postgresql_LIBRARY SOCI_mysql_LIBRARY SOCI_BOOST_INCLUDE_DIR
  SOCI_postgresql_CLIENT_INCLUDE_DIR SOCI_mysql_CLIENT_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SOCI
  REQUIRED_VARS SOCI_core_LIBRARY SOCI_postgresql_LIBRARY SOCI_mysql_LIBRARY SOCI_INCLUDE_DIR SOCI_BOOST_INCLUDE_DIR
    SOCI_postgresql_CLIENT_INCLUDE_DIR SOCI_mysql_CLIENT_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian: libsoci-dev libboost-dev libpq-dev libmariadb-dev")

if(SOCI_FOUND AND NOT TARGET SOCI::core)
  add_library(SOCI::core UNKNOWN IMPORTED)
  set_target_properties(SOCI::core PROPERTIES IMPORTED_LOCATION "${SOCI_core_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SOCI_INCLUDE_DIR};${SOCI_BOOST_INCLUDE_DIR}")
  foreach(backend IN ITEMS postgresql mysql)
    add_library(SOCI::${backend} UNKNOWN IMPORTED)
    set_target_properties(SOCI::${backend} PROPERTIES IMPORTED_LOCATION "${SOCI_${backend}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${SOCI_${backend}_CLIENT_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES SOCI::core)
  endforeach()
endif()
