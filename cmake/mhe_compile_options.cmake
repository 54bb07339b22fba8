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
  target_compile_options(mhe_options INTERFACE
    -fsanitize=${MHE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(mhe_options INTERFACE -fsanitize=${MHE_SANITIZE})
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
find_program(MHE_CCACHE ccache)
if(MHE_CCACHE AND PROJECT_IS_TOP_LEVEL)
  # What ccache's manual asks for where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros "${MHE_CCACHE}")
  add_compile_options("$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
