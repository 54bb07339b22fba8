# One interface target that carries how every mhe source is compiled.
add_library(mhe_options INTERFACE)
target_compile_features(mhe_options INTERFACE cxx_std_20)
target_compile_options(mhe_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # A fused multiply-add rounds once where two operations round twice. Letting the compiler choose
  # would make results depend on the ISA it was told about, and model files must not.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # At -O3 GCC 12 warns of every "text" + std::string() that it inlines (its bug 105651).
  target_compile_options(mhe_options INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
if(MHE_WERROR)
  target_compile_options(mhe_options INTERFACE -Werror)
endif()
if(MHE_SANITIZE)
  # -O1 and line tables: what sanitizers need, in two thirds of the time to compile.
  target_compile_options(mhe_options INTERFACE -O1 -g1
    -fsanitize=${MHE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(mhe_options INTERFACE -fsanitize=${MHE_SANITIZE})
endif()
if(MHE_BUILD_FUZZERS)
  target_compile_options(mhe_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(mhe_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
find_program(MHE_CCACHE ccache)
if(MHE_CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${MHE_CCACHE}")
endif()
