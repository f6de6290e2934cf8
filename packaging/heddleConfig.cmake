# SPDX-License-Identifier: Apache-2.0
#
# find_package(heddle): heddle in CMake projects.
#
#   heddle::heddle      link to it, and the target's own C and C++ sources are instrumented (GCC or Clang) and run under
#                       heddle's runtime, which steps aside when the program is started without heddle. Libraries
#                       that shall be instrumented too link to it as well.
#   heddle::command     the program heddle
#   heddle_add_test(NAME name TARGET target [TESTS [FILTER glob] [EXECUTIONS n]] [ARGS argument...] [TIME 10s])
#                       links the executable to heddle::heddle and adds a CTest test: `heddle check` on it, for at
#                       most TIME. With TESTS it is `heddle test`, for executables made with cmocka, Check, Criterion
#                       or GoogleTest: each of their tests (that match FILTER) under EXECUTIONS schedules (1000, or
#                       no limit when TIME is given), for at most TIME each. Bugs are left in heddle-out/NAME of the
#                       current binary folder. The CTest test has the label heddle and passes with heddle's exit
#                       status 0: no bug. It fails with 1 (a bug), 2 (wrong use; no test matches) and 3 (heddle could
#                       not do it), of which its output tells.

get_filename_component(_heddle_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET heddle::heddle)
  add_library(heddle::heddle SHARED IMPORTED)
  set_target_properties(heddle::heddle PROPERTIES
    IMPORTED_LOCATION "${_heddle_prefix}/lib/heddle/libheddle.so"
    IMPORTED_SONAME libheddle.so
    INTERFACE_INCLUDE_DIRECTORIES "${_heddle_prefix}/include"
    INTERFACE_COMPILE_DEFINITIONS "$<$<COMPILE_LANGUAGE:C,CXX>:__HEDDLE__=1>"
    # What the library replaces in Check, which is mostly linked statically, must be named.
    # Its ld notes which objects have no hooks.
    INTERFACE_LINK_OPTIONS "-B${_heddle_prefix}/lib/heddle;-pthread;-Wl,--wrap=_tcase_add_test,--wrap=_ck_assert_failed")
  # -fsanitize=thread is for the compiler alone: on a line that links it would bring the sanitizer's own runtime.
  foreach(_heddle_lang IN ITEMS C CXX)
    set_property(TARGET heddle::heddle APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
      "$<$<COMPILE_LANG_AND_ID:${_heddle_lang},GNU,Clang>:-fsanitize=thread;-fpatchable-function-entry=5;-mno-red-zone;-B${_heddle_prefix}/lib/heddle;-g;-fno-omit-frame-pointer>"
      "$<$<COMPILE_LANG_AND_ID:${_heddle_lang},GNU>:--param=tsan-distinguish-volatile=1;-Wno-tsan;-fno-ipa-ra;-fno-ipa-reference;-fno-builtin-memset;-fno-builtin-memcpy;-fno-builtin-memmove;-fno-builtin-memcmp;-fno-builtin-memchr;-fno-builtin-strcpy;-fno-builtin-stpcpy;-fno-builtin-strncpy;-fno-builtin-strcat;-fno-builtin-strlen;-fno-builtin-strnlen;-fno-builtin-strcmp;-fno-builtin-strncmp;-fno-builtin-strchr;-fno-builtin-strrchr;-fno-builtin-strstr>"
      "$<$<COMPILE_LANG_AND_ID:${_heddle_lang},Clang>:-fno-integrated-as>"
      "$<$<COMPILE_LANG_AND_ID:${_heddle_lang},Clang>:SHELL:-mllvm -tsan-instrument-read-before-write=1>"
      "$<$<COMPILE_LANG_AND_ID:${_heddle_lang},Clang>:SHELL:-mllvm -tsan-distinguish-volatile=1>")
  endforeach()

  # What strings do is to be instrumented, too.
  set_property(TARGET heddle::heddle APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:SHELL:-isystem \"${_heddle_prefix}/include/heddle-c++\">")

  add_executable(heddle::command IMPORTED)
  set_target_properties(heddle::command PROPERTIES IMPORTED_LOCATION "${_heddle_prefix}/bin/heddle")
endif()

function(heddle_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "TESTS" "NAME;TARGET;TIME;FILTER;EXECUTIONS" "ARGS")
  if(NOT arg_NAME OR NOT arg_TARGET OR arg_UNPARSED_ARGUMENTS OR (NOT arg_TESTS AND (arg_FILTER OR arg_EXECUTIONS)))
    message(FATAL_ERROR "heddle_add_test(NAME name TARGET target [TESTS [FILTER glob] [EXECUTIONS n]] "
      "[ARGS argument...] [TIME 10s])")
  endif()
  set(command check)
  if(arg_TESTS)
    set(command test)
  elseif(NOT arg_TIME)
    set(arg_TIME 10s)
  endif()
  foreach(option IN ITEMS TIME=time FILTER=filter EXECUTIONS=max-executions)
    string(REGEX MATCH "(.*)=(.*)" _ ${option})
    if(arg_${CMAKE_MATCH_1})
      list(APPEND command --${CMAKE_MATCH_2} ${arg_${CMAKE_MATCH_1}})
    endif()
  endforeach()
  # The property, not target_link_libraries: that one refuses to mix its two signatures on one target.
  set_property(TARGET ${arg_TARGET} APPEND PROPERTY LINK_LIBRARIES heddle::heddle)
  add_test(NAME ${arg_NAME}
    COMMAND heddle::command ${command} --out "${CMAKE_CURRENT_BINARY_DIR}/heddle-out/${arg_NAME}"
      $<TARGET_FILE:${arg_TARGET}> -- ${arg_ARGS})
  set_property(TEST ${arg_NAME} APPEND PROPERTY LABELS heddle)
endfunction()
