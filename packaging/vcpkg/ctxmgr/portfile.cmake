# An overlay port of the checkout that it lies in: vcpkg install ctxmgr --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  bpe CTXMGR_WITH_BPE
  c CTXMGR_WITH_C
  curl CTXMGR_WITH_CURL
  prompts CTXMGR_WITH_PROMPTS
  redis CTXMGR_WITH_REDIS
  sql CTXMGR_WITH_SQL
  sqlite CTXMGR_WITH_SQLITE
  testing CTXMGR_WITH_TESTING
  tools CTXMGR_BUILD_TOOLS)

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features} -DCTXMGR_BUILD_TESTS=OFF -DCTXMGR_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/ctxmgr)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES ctxpack AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/THIRD_PARTY_NOTICES.md")
