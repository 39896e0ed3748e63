# Install rules, and the package that find_package(oxide) reads.
include(CMakePackageConfigHelpers)

set(oxide_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/oxide)
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/oxide DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set_target_properties(oxide-linked PROPERTIES EXPORT_NAME linked)
install(TARGETS oxide oxide-linked EXPORT oxideTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT oxideTargets NAMESPACE oxide:: DESTINATION ${oxide_package_dir})
if(TARGET oxide-jit)
  set_target_properties(oxide-jit PROPERTIES EXPORT_NAME jit)
  install(TARGETS oxide-jit EXPORT oxideJitTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT oxideJitTargets NAMESPACE oxide:: DESTINATION ${oxide_package_dir})
endif()
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(${CMAKE_CURRENT_SOURCE_DIR}/cmake/oxideConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/oxideConfig.cmake
                              INSTALL_DESTINATION ${oxide_package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/oxideConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/oxideConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/oxideConfigVersion.cmake
        DESTINATION ${oxide_package_dir})
