# Installs BUILD to PREFIX, and nothing is left there from before. The tree is moved there from where it was installed: a
# package is used elsewhere than where it was made.
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.made)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}.made OUTPUT_QUIET
  COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX}.made ${PREFIX})

# No path of this machine is in what other builds read.
file(GLOB_RECURSE files ${PREFIX}/*.cmake ${PREFIX}/*.pc)
list(LENGTH files count)
if(count LESS 4)
  message(FATAL_ERROR "these are no package files: ${files}")
endif()
foreach(file IN LISTS files)
  file(STRINGS ${file} lines REGEX "^[^#]*[\" ;=](/usr|/lib|/opt|/home|/root|/tmp|/work|${PREFIX}|${BUILD}|${SOURCE})")
  list(FILTER lines EXCLUDE REGEX "_IMPORT_PREFIX STREQUAL|CMAKE_IMPORT")
  if(lines)
    message(FATAL_ERROR "${file} has absolute paths: ${lines}")
  endif()
endforeach()
