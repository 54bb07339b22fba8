# Install rules and the package files behind find_package(mhe).
include(CMakePackageConfigHelpers)
install(TARGETS mhe EXPORT mheTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS mhe_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/mhe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT mheTargets NAMESPACE mhe:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mhe)
configure_package_config_file(cmake/mheConfig.cmake.in ${PROJECT_BINARY_DIR}/mheConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mhe)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mheConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mheConfig.cmake
  ${PROJECT_BINARY_DIR}/mheConfigVersion.cmake cmake/FindLibZip.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mhe)
