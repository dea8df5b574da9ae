# Compiler, linker and output settings shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

option(WEIR_BUILD_TESTS "Build the tests and benchmarks" ON)
option(WEIR_LINK_TESTS "Link each room alone with what it declares" ON)
set(WEIR_SANITIZE "" CACHE STRING "Value for -fsanitize, for example address,undefined")

find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${WEIR_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${WEIR_CCACHE}")
endif()

find_program(WEIR_MOLD mold)
if(WEIR_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Debug keeps line tables only: full debug information doubles the build time.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG -fno-omit-frame-pointer")

if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -O1)
  add_compile_options(-fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code hides from g++ that KJ's optional values are set before they are read. The
    # builds without sanitizers keep the warning.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

# The warnings apply to Weir's own code; system headers are exempt by nature.
# -Wnon-virtual-dtor is left out: it rejects every Cap'n Proto server class.
add_library(weir_warnings INTERFACE)
target_compile_options(weir_warnings INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wconversion -Wno-unused-parameter
  -Wno-missing-field-initializers)  # designated initialisers leave defaults out on purpose
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(weir_warnings INTERFACE -Wthread-safety)
endif()
