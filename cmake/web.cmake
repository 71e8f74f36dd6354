# The page of 'appell report', built by esbuild from web/ where Node.js and npm are found.
#
# Everything happens in a copy of web/ below the build folder, when its sources have changed. Where
# the packages cannot be fetched, one line says so and the library is built without the page:
# page.html is empty then, and the next configuration tries again.

# The page goes into SOURCE of TARGET.
function(appell_page target source)
  set(folder ${CMAKE_BINARY_DIR}/web)
  set(page ${folder}/page.html)
  find_program(NODE_EXECUTABLE NAMES node nodejs)
  find_program(NPM_EXECUTABLE npm)
  if(NOT NODE_EXECUTABLE OR NOT NPM_EXECUTABLE)
    message(STATUS "Node.js or npm is missing: 'appell report' is built without its page. "
                   "'make setup' installs both.")
    return()
  endif()
  file(REMOVE ${folder}/failed)
  add_custom_target(appell_web
    COMMAND ${CMAKE_COMMAND} -DNODE=${NODE_EXECUTABLE} -DNPM=${NPM_EXECUTABLE}
            -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/web -DFOLDER=${folder}
            -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/web_build.cmake
    BYPRODUCTS ${page}
    COMMENT "The page of reports")
  add_dependencies(${target} appell_web)
  set_property(SOURCE ${source} PROPERTY OBJECT_DEPENDS ${page})
  set_property(SOURCE ${source} PROPERTY COMPILE_DEFINITIONS "AP_PAGE_FILE=\"${page}\"")
  set(APPELL_WEB_FOLDER ${folder} PARENT_SCOPE)
endfunction()
