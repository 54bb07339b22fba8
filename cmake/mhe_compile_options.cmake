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
# So that a shared library, such as a plugin or a Python module, can be made from the static one.
if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # As clang has it: a function may be inlined although a shared library could replace it.
  add_compile_options(-fno-semantic-interposition)
endif()
find_program(MHE_CCACHE ccache)
if(MHE_CCACHE AND PROJECT_IS_TOP_LEVEL)
  # What ccache's manual asks for where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros "${MHE_CCACHE}")
  add_compile_options("$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# Compiles the sources of a folder as one where CMAKE_UNITY_BUILD asks for it: most of a compiler's
# time goes into headers, which are then read once. So names in anonymous namespaces differ within a
# folder. Kernels, each compiled for many targets, stay apart, and so do files that match `apart`.
function(mhe_compile_by_folder target apart)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "/kernels/|${apart}")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${group}")
  endforeach()
endfunction()
