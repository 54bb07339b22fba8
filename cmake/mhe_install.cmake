# Install rules and the package files behind find_package(mhe).
include(CMakePackageConfigHelpers)
install(TARGETS mhe mhe_predict EXPORT mheTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS mhe_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(NOT CMAKE_CROSSCOMPILING)
  # The man page is what the program says of itself.
  set(mhe_page "${PROJECT_BINARY_DIR}/mhe.1")
  add_custom_command(OUTPUT ${mhe_page} ${mhe_page}.gz
    COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/man_page.sh $<TARGET_FILE:mhe_cli> ${mhe_page}
    DEPENDS mhe_cli ${PROJECT_SOURCE_DIR}/cmake/man_page.sh
    COMMENT "Writing the man page" VERBATIM)
  add_custom_target(mhe_man ALL DEPENDS ${mhe_page}.gz)
  install(FILES ${mhe_page}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(DIRECTORY include/mhe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT mheTargets NAMESPACE mhe:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mhe)
configure_package_config_file(cmake/mheConfig.cmake.in ${PROJECT_BINARY_DIR}/mheConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mhe)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mheConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mheConfig.cmake
  ${PROJECT_BINARY_DIR}/mheConfigVersion.cmake cmake/FindLibZip.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mhe)
