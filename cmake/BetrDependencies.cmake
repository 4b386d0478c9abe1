# SPDX-License-Identifier: Apache-2.0
# What betr needs from the system. scripts/install-deps installs all of it on Debian 12.
#
# Debian builds Abseil as C++14, where absl::string_view and absl::optional are types of their own. Our interfaces
# use the std types.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(absl REQUIRED)
find_package(fmt REQUIRED)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)

# What the public headers show, and what the library uses inside. A new one goes also into betrConfig.cmake.in and
# betr.pc.in, unless it is Abseil's: users of the static library need them all. The test `install` tells.
set(BETR_LIBS_PUBLIC absl::status absl::statusor absl::strings)
set(BETR_LIBS_PRIVATE absl::str_format absl::flat_hash_map absl::flat_hash_set absl::btree absl::inlined_vector
  absl::hash absl::function_ref fmt::fmt PkgConfig::LZ4 PkgConfig::ZSTD PkgConfig::XXHASH Threads::Threads)

# For the tools only.
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(LIBARCHIVE REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(LIBCRYPTO REQUIRED IMPORTED_TARGET libcrypto)
