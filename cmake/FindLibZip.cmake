# libzip as LibZip::LibZip. Debian's own libzip-config.cmake refers to command-line tools that its
# -dev package does not bring, so it fails wherever they are not installed too.
find_path(LibZip_INCLUDE_DIR zip.h)
find_library(LibZip_LIBRARY zip)
if(LibZip_INCLUDE_DIR AND EXISTS "${LibZip_INCLUDE_DIR}/zipconf.h")
  file(STRINGS "${LibZip_INCLUDE_DIR}/zipconf.h" LibZip_version_line REGEX "define LIBZIP_VERSION \"")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" LibZip_VERSION "${LibZip_version_line}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibZip REQUIRED_VARS LibZip_LIBRARY LibZip_INCLUDE_DIR
  VERSION_VAR LibZip_VERSION)
if(LibZip_FOUND AND NOT TARGET LibZip::LibZip)
  add_library(LibZip::LibZip UNKNOWN IMPORTED)
  set_target_properties(LibZip::LibZip PROPERTIES
    IMPORTED_LOCATION "${LibZip_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LibZip_INCLUDE_DIR}")
endif()
mark_as_advanced(LibZip_INCLUDE_DIR LibZip_LIBRARY)
