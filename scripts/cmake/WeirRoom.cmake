# weir_room(), weir_executable() and weir_test(): the only ways a target is made.

# Builds every room and nothing that only tests it.
add_custom_target(rooms)

# weir_room(NAME common/base SOURCES a.cpp ... [MAY_USE common/x ...] [LIBRARIES absl::strings ...])
# makes the static library weir_common_base. MAY_USE names every room it may include; the link
# test links the whole archive with just those, so that an undeclared call is a link error.
function(weir_room)
  cmake_parse_arguments(ROOM "" "NAME" "SOURCES;MAY_USE;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" flat "${ROOM_NAME}")
  set(target "weir_${flat}")
  add_library(${target} STATIC ${ROOM_SOURCES})
  add_dependencies(rooms ${target})
  target_include_directories(${target} PUBLIC "${CMAKE_SOURCE_DIR}")
  foreach(used IN LISTS ROOM_MAY_USE)
    string(REPLACE "/" "_" used_flat "${used}")
    target_link_libraries(${target} PUBLIC "weir_${used_flat}")
  endforeach()
  target_link_libraries(${target} PUBLIC ${ROOM_LIBRARIES} PRIVATE weir_warnings)

  if(WEIR_LINK_TESTS)
    set(main "${CMAKE_BINARY_DIR}/link_test_main.cpp")
    if(NOT EXISTS "${main}")
      file(WRITE "${main}" "int main() { return 0; }\n")
    endif()
    add_executable(${flat}_link_test "${main}")
    set_target_properties(${flat}_link_test PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/link_tests")
    target_link_libraries(${flat}_link_test PRIVATE
      -Wl,--whole-archive "$<TARGET_FILE:${target}>" -Wl,--no-whole-archive)
    add_dependencies(${flat}_link_test ${target})
    foreach(used IN LISTS ROOM_MAY_USE)
      string(REPLACE "/" "_" used_flat "${used}")
      target_link_libraries(${flat}_link_test PRIVATE "weir_${used_flat}")
    endforeach()
    target_link_libraries(${flat}_link_test PRIVATE ${ROOM_LIBRARIES})
  endif()
endfunction()

# weir_executable(NAME weir SOURCES main.cpp USES cli ...): lands in <build>/bin.
function(weir_executable)
  cmake_parse_arguments(EXE "" "NAME" "SOURCES;USES;LIBRARIES" ${ARGN})
  add_executable(${EXE_NAME} ${EXE_SOURCES})
  foreach(used IN LISTS EXE_USES)
    string(REPLACE "/" "_" used_flat "${used}")
    target_link_libraries(${EXE_NAME} PRIVATE "weir_${used_flat}")
  endforeach()
  target_link_libraries(${EXE_NAME} PRIVATE ${EXE_LIBRARIES} weir_warnings)
endfunction()

# unit_tests, threads_tests, ...: build just the tests that carry one ctest label. Those the
# scripts ask for exist from the start, so that a label without a test yet is not an error.
foreach(label IN ITEMS unit threads integration sim e2e fuzz)
  add_custom_target(${label}_tests)
endforeach()

function(weir_label_test test)
  foreach(label IN LISTS ARGN)
    if(NOT TARGET ${label}_tests)
      add_custom_target(${label}_tests)
    endif()
    add_dependencies(${label}_tests ${test})
  endforeach()
endfunction()

# weir_test(NAME unit_base SOURCES a_test.cpp ... USES common/base ... [LABELS unit threads])
# makes one Catch2 executable and one ctest entry.
function(weir_test)
  cmake_parse_arguments(TEST "" "NAME" "SOURCES;USES;LABELS;LIBRARIES" ${ARGN})
  add_executable(${TEST_NAME} ${TEST_SOURCES})
  set_target_properties(${TEST_NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/bin")
  foreach(used IN LISTS TEST_USES)
    string(REPLACE "/" "_" used_flat "${used}")
    target_link_libraries(${TEST_NAME} PRIVATE "weir_${used_flat}")
  endforeach()
  target_link_libraries(${TEST_NAME} PRIVATE Catch2::Catch2WithMain ${TEST_LIBRARIES} weir_warnings)
  add_test(NAME ${TEST_NAME} COMMAND ${TEST_NAME})
  set_tests_properties(${TEST_NAME} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT 900)
  weir_label_test(${TEST_NAME} ${TEST_LABELS})
endfunction()

# weir_fuzz(NAME fuzz_yaml SOURCES yaml_fuzz.cpp USES common/config SEEDS seeds/yaml BYTES_MAX 65536
#           [DICTIONARY x.dict])
# makes a libFuzzer executable and a ctest entry that runs it for WEIR_FUZZ_SECONDS on inputs of at
# most BYTES_MAX. SEEDS are folders and files of inputs worth starting from, only read; what the runs
# find besides is kept in the build directory. Exists in the fuzz preset alone.
set(WEIR_FUZZ_SECONDS 15 CACHE STRING "How long ctest runs each fuzz target")
set(WEIR_FUZZ_SEED 1 CACHE STRING "What the fuzz targets draw from under ctest; 0: another each time")
function(weir_fuzz)
  if(NOT WEIR_SANITIZE MATCHES "fuzzer")
    return()
  endif()
  cmake_parse_arguments(FUZZ "" "NAME;BYTES_MAX;DICTIONARY" "SOURCES;USES;LIBRARIES;SEEDS" ${ARGN})
  add_executable(${FUZZ_NAME} ${FUZZ_SOURCES})
  set_target_properties(${FUZZ_NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/bin")
  foreach(used IN LISTS FUZZ_USES)
    string(REPLACE "/" "_" used_flat "${used}")
    target_link_libraries(${FUZZ_NAME} PRIVATE "weir_${used_flat}")
  endforeach()
  target_link_libraries(${FUZZ_NAME} PRIVATE ${FUZZ_LIBRARIES} weir_warnings)
  target_link_options(${FUZZ_NAME} PRIVATE -fsanitize=fuzzer)
  set(found "${CMAKE_BINARY_DIR}/fuzz/${FUZZ_NAME}")
  file(MAKE_DIRECTORY "${found}/corpus")
  set(arguments -seed=${WEIR_FUZZ_SEED} -max_total_time=${WEIR_FUZZ_SECONDS}
    -max_len=${FUZZ_BYTES_MAX} -timeout=10 -rss_limit_mb=2048 "-artifact_prefix=${found}/")
  if(FUZZ_DICTIONARY)
    list(APPEND arguments "-dict=${CMAKE_CURRENT_SOURCE_DIR}/${FUZZ_DICTIONARY}")
  endif()
  set(files "")
  set(folders "${found}/corpus")
  foreach(seed IN LISTS FUZZ_SEEDS)
    set(path "${CMAKE_CURRENT_SOURCE_DIR}/${seed}")
    if(IS_DIRECTORY "${path}")
      list(APPEND folders "${path}")
    else()
      list(APPEND files "${path}")
    endif()
  endforeach()
  if(files)
    list(JOIN files "," files)
    list(APPEND arguments "-seed_inputs=${files}")
  endif()
  add_test(NAME ${FUZZ_NAME} COMMAND ${FUZZ_NAME} ${arguments} ${folders})
  set_tests_properties(${FUZZ_NAME} PROPERTIES LABELS fuzz TIMEOUT 900)
  weir_label_test(${FUZZ_NAME} fuzz)
endfunction()
