# SOCI::core. Debian's libsoci-dev has no CMake files. SOCI's headers include Boost's and its backends' those of the database
# clients; the backends are loaded at run time, and share the clients with us.
find_path(SOCI_INCLUDE_DIR soci/soci.h)
find_library(SOCI_LIBRARY NAMES soci_core)
find_path(SOCI_BOOST_INCLUDE_DIR boost/optional.hpp)
find_path(SOCI_PQ_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)
find_library(SOCI_PQ_LIBRARY NAMES pq)
find_path(SOCI_MYSQL_INCLUDE_DIR mysql.h PATH_SUFFIXES mariadb mysql)
find_library(SOCI_MYSQL_LIBRARY NAMES mariadb mysqlclient)
mark_as_advanced(SOCI_INCLUDE_DIR SOCI_LIBRARY SOCI_BOOST_INCLUDE_DIR SOCI_PQ_INCLUDE_DIR SOCI_PQ_LIBRARY
  SOCI_MYSQL_INCLUDE_DIR SOCI_MYSQL_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SOCI REQUIRED_VARS SOCI_LIBRARY SOCI_INCLUDE_DIR SOCI_BOOST_INCLUDE_DIR
  SOCI_PQ_LIBRARY SOCI_PQ_INCLUDE_DIR SOCI_MYSQL_LIBRARY SOCI_MYSQL_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian: libsoci-dev libboost-dev libpq-dev libmariadb-dev")

if(SOCI_FOUND AND NOT TARGET SOCI::core)
  add_library(SOCI::core UNKNOWN IMPORTED)
  set_target_properties(SOCI::core PROPERTIES IMPORTED_LOCATION "${SOCI_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES
      "${SOCI_INCLUDE_DIR};${SOCI_BOOST_INCLUDE_DIR};${SOCI_PQ_INCLUDE_DIR};${SOCI_MYSQL_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${SOCI_PQ_LIBRARY};${SOCI_MYSQL_LIBRARY}")
endif()
