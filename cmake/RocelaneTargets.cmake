# SPDX-License-Identifier: Apache-2.0
# How a library, a program and a test of this project are declared. Everything is PRIVATE unless a
# public header needs it, and every public header must compile alone.

add_library(rocelane_warnings INTERFACE)
target_compile_options(
  rocelane_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                              -Wimplicit-fallthrough
                              # designated initializers name what differs from the defaults
                              -Wno-missing-field-initializers)
target_compile_features(rocelane_warnings INTERFACE cxx_std_20)

# rocelane_library(NAME SOURCES ... HEADERS ... [PUBLIC deps] [PRIVATE deps])
function(rocelane_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  add_library(rocelane_${name} STATIC ${arg_SOURCES})
  add_library(rocelane::${name} ALIAS rocelane_${name})
  target_sources(
    rocelane_${name} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES
                            ${arg_HEADERS})
  set_target_properties(rocelane_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON
                                                    CXX_EXTENSIONS OFF)
  target_link_libraries(
    rocelane_${name}
    PUBLIC ${arg_PUBLIC}
    PRIVATE rocelane_warnings ${arg_PRIVATE})
  target_compile_features(rocelane_${name} PUBLIC cxx_std_20)
endfunction()

# rocelane_program(NAME [STATIC] SOURCES ... LIBS ...): one executable, one install component.
function(rocelane_program name)
  cmake_parse_arguments(arg "STATIC" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE rocelane_warnings ${arg_LIBS})
  if(arg_STATIC AND NOT ROCELANE_SANITIZED)
    target_link_options(${name} PRIVATE -static)
  endif()
  install(
    TARGETS ${name}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    COMPONENT ${name})
endfunction()

# rocelane_test(NAME LABEL unit|netns|process SOURCES ... LIBS ...): one gtest program, one ctest
# entry per program; the single cases are counted by scripts/test.
function(rocelane_test name)
  cmake_parse_arguments(arg "" "LABEL" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE rocelane_warnings ${arg_LIBS} GTest::gmock GTest::gtest)
  if(NOT ROCELANE_SANITIZED)
    target_link_options(${name} PRIVATE -static) # the lab's nodes run another release
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL})
endfunction()
