# SPDX-License-Identifier: Apache-2.0
# What betr needs from the system. scripts/install-deps installs all of it on Debian 12.
#
# Debian builds Abseil as C++14, where absl::string_view and absl::optional are types of their own. Our interfaces
# use the std types.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(absl REQUIRED)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)

# fmt is used everywhere inside; the others by the tools only.
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(LIBARCHIVE REQUIRED IMPORTED_TARGET libarchive)

# Abseil as far as the public headers show it, and as far as the library uses it inside.
set(BETR_ABSL_PUBLIC absl::status absl::statusor absl::strings)
set(BETR_ABSL_PRIVATE absl::str_format absl::flat_hash_map absl::flat_hash_set absl::btree absl::inlined_vector
  absl::hash absl::function_ref)
