# SOCI::core. Debian's libsoci-dev has no CMake files. SOCI's headers include Boost's; its backends are loaded at run time.
find_path(SOCI_INCLUDE_DIR soci/soci.h)
find_library(SOCI_LIBRARY NAMES soci_core)
find_path(SOCI_BOOST_INCLUDE_DIR boost/optional.hpp)
mark_as_advanced(SOCI_INCLUDE_DIR SOCI_LIBRARY SOCI_BOOST_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SOCI REQUIRED_VARS SOCI_LIBRARY SOCI_INCLUDE_DIR SOCI_BOOST_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian: libsoci-dev libboost-dev")

if(SOCI_FOUND AND NOT TARGET SOCI::core)
  add_library(SOCI::core UNKNOWN IMPORTED)
  set_target_properties(SOCI::core PROPERTIES IMPORTED_LOCATION "${SOCI_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SOCI_INCLUDE_DIR};${SOCI_BOOST_INCLUDE_DIR}")
endif()
