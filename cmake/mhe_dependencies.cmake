# Third-party packages, all from the distribution. mheConfig.cmake.in lists those a static library's
# users need as well: keep the two in step.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(hwy REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc)
find_package(ZLIB REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(zstd REQUIRED)
find_package(LibZip REQUIRED)
find_package(simdjson REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(xxHash REQUIRED)  # header only: no dependency of the installed library
find_package(CLI11 REQUIRED)
find_package(Freetype REQUIRED)  # of the program only, not of the installed library
find_package(Eigen3 REQUIRED NO_MODULE)  # of the program only: header only, for the lab
