# SPDX-License-Identifier: Apache-2.0
# Protection of what is built: canaries behind arrays on the stack, checked copies, stacks that grow
# page by page, marked targets of indirect jumps; addresses that differ from run to run, tables of
# functions that are read-only once it runs, a stack that is not executed. Each where the compiler
# has it. scripts/checks/binaries looks for them. The sanitizers bring checks of their own.
include(CheckPIESupported)
check_pie_supported()
if(NOT APPELL_HARDEN OR APPELL_SANITIZE OR APPELL_FUZZ)
  return()
endif()

set(hardening -fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND hardening -fcf-protection)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^aarch64$")
  list(APPEND hardening -mbranch-protection=standard)
endif()
foreach(flag ${hardening})
  string(MAKE_C_IDENTIFIER "APPELL_HAVE${flag}" have)
  check_c_compiler_flag(${flag} ${have})
  if(${have})
    add_compile_options(${flag})
  endif()
endforeach()

# It needs optimisation; a level that was asked for stays.
if(NOT CMAKE_C_FLAGS MATCHES "_FORTIFY_SOURCE")
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                      $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()
