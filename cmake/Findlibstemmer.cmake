# libstemmer::libstemmer, the Snowball stemmers. They come without CMake or pkg-config files.
find_path(STEMMER_INCLUDE_DIR libstemmer.h)
find_library(STEMMER_LIBRARY NAMES stemmer)
mark_as_advanced(STEMMER_INCLUDE_DIR STEMMER_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libstemmer REQUIRED_VARS STEMMER_LIBRARY STEMMER_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian: libstemmer-dev")

if(libstemmer_FOUND AND NOT TARGET libstemmer::libstemmer)
  add_library(libstemmer::libstemmer UNKNOWN IMPORTED)
  set_target_properties(libstemmer::libstemmer PROPERTIES
    IMPORTED_LOCATION "${STEMMER_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${STEMMER_INCLUDE_DIR}")
endif()
