# cmake -DNODE= -DNPM= -DSOURCE=web -DFOLDER=build/web -P web_build.cmake: FOLDER/page.html, made
# when something in SOURCE has changed.

file(GLOB_RECURSE sources RELATIVE ${SOURCE} ${SOURCE}/*)
list(FILTER sources EXCLUDE REGEX "^node_modules/")
set(all "")
foreach(name ${sources})
  file(SHA256 ${SOURCE}/${name} hash)
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 now "${all}")

set(before "")
if(EXISTS ${FOLDER}/made)
  file(READ ${FOLDER}/made before)
endif()
if(EXISTS ${FOLDER}/page.html AND (before STREQUAL now OR EXISTS ${FOLDER}/failed))
  return()
endif()

# The packages are those of the lock file: they stay while it does.
set(lock_before "")
file(SHA256 ${SOURCE}/package-lock.json lock_now)
if(EXISTS ${FOLDER}/fetched)
  file(READ ${FOLDER}/fetched lock_before)
endif()
file(GLOB old ${FOLDER}/*)
list(FILTER old EXCLUDE REGEX "/(node_modules|page.html|fetched)$")
if(old)
  file(REMOVE_RECURSE ${old})
endif()
foreach(name ${sources})
  cmake_path(GET name PARENT_PATH place)
  file(COPY ${SOURCE}/${name} DESTINATION ${FOLDER}/${place})
endforeach()

set(status 0)
if(NOT lock_before STREQUAL lock_now)
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
            --fetch-timeout=30000 --loglevel=error
    WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  set(what "its packages cannot be fetched")
  if(status EQUAL 0)
    file(WRITE ${FOLDER}/fetched "${lock_now}")
  endif()
endif()
if(status EQUAL 0)
  execute_process(COMMAND ${NODE} build.mjs ${FOLDER}/page.html WORKING_DIRECTORY ${FOLDER}
                  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  set(what "it cannot be built")
endif()
if(status EQUAL 0)
  file(WRITE ${FOLDER}/made "${now}")
else()
  file(WRITE ${FOLDER}/page.html "")
  file(WRITE ${FOLDER}/failed "${said}")
  message("appell report is built without its page: ${what} (see ${FOLDER}/failed)")
endif()
