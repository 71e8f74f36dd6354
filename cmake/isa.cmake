# SPDX-License-Identifier: Apache-2.0
# What the kernels are compiled for, by APPELL_ISA: appell_isas, the names of instruction sets;
# APPELL_FLAGS_NAME, the compiler's options; APPELL_FEATURES_NAME, by which a processor is known to have it.
# Only x86-64 has more than one, base. The sources see the names in isa_builds.h (src/base/isa.h) alone, so
# that a build folder that gets another choice keeps its objects.
set(APPELL_FLAGS_base)
set(APPELL_FLAGS_v3 -march=x86-64-v3)
set(APPELL_FLAGS_v4 -march=x86-64-v4 -mprefer-vector-width=256)
set(APPELL_FEATURES_v3 avx2 fma bmi bmi2)
set(APPELL_FEATURES_v4 avx512f avx512bw avx512cd avx512dq avx512vl)
set_property(CACHE APPELL_ISA PROPERTY STRINGS all host base v3 v4)

set(isas_here base) # in the order of src/base/isa.h
set(isa_definitions)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  foreach(isa v3 v4)
    string(TOUPPER ${isa} upper)
    string(REPLACE ";" " " flags "${APPELL_FLAGS_${isa}}")
    check_c_compiler_flag("${flags}" APPELL_HAVE_${upper})
    if(APPELL_HAVE_${upper})
      list(APPEND isas_here ${isa})
      list(APPEND isa_definitions -DAP_HAVE_ISA_${upper})
    endif()
  endforeach()
endif()

if(APPELL_ISA STREQUAL "all")
  set(appell_isas ${isas_here})
elseif(APPELL_ISA STREQUAL "host")
  # What the library itself would pick. Code for another machine gets what each of them runs.
  set(appell_isas base)
  if(isa_definitions AND NOT CMAKE_CROSSCOMPILING)
    try_run(APPELL_BEST_BUILD APPELL_BEST_BUILD_COMPILES
            SOURCE_FROM_CONTENT best_build.c "#include \"base/isa.h\"\nint main(void) { return best_build(); }\n"
            NO_CACHE
            CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${CMAKE_CURRENT_LIST_DIR}/../src"
            COMPILE_DEFINITIONS ${isa_definitions})
    if(APPELL_BEST_BUILD MATCHES "^[0-9]+$")
      list(GET isas_here ${APPELL_BEST_BUILD} appell_isas)
    else()
      message(STATUS "Programs cannot be tried here: kernels for every processor, APPELL_ISA=base.")
    endif()
  endif()
elseif(APPELL_ISA IN_LIST isas_here)
  set(appell_isas ${APPELL_ISA})
else()
  list(JOIN isas_here ", " isas_here)
  message(FATAL_ERROR "APPELL_ISA is '${APPELL_ISA}': here it can be all, host, ${isas_here}")
endif()
message(STATUS "Instruction sets of the kernels: ${appell_isas}")

set(isa_builds "// Written by cmake/isa.cmake.\n")
foreach(isa ${appell_isas})
  string(TOUPPER ${isa} upper)
  string(APPEND isa_builds "#define AP_HAVE_ISA_${upper}\n")
endforeach()
list(GET appell_isas 0 isa_least)
if(NOT isa_least STREQUAL "base") # cli/main.c asks
  list(TRANSFORM APPELL_FEATURES_${isa_least} REPLACE "(.+)" "__builtin_cpu_supports(\"\\1\")" OUTPUT_VARIABLE asked)
  list(JOIN asked " && " asked)
  string(APPEND isa_builds "#define AP_RUNS_HERE (${asked})\n")
endif()
file(CONFIGURE OUTPUT isa/isa_builds.h CONTENT "${isa_builds}" @ONLY)
include_directories(${CMAKE_BINARY_DIR}/isa)
add_compile_definitions(AP_ISA_BUILDS)
