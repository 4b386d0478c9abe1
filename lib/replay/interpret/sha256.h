// SPDX-License-Identifier: Apache-2.0
// SHA-256, by which listings of name spaces are compared. Not for secrets.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace betr::replay {

class Sha256 {
 public:
  Sha256();
  void Add(std::string_view bytes);
  // Returns the hash of everything added, in lower-case hex. Call it once.
  std::string Hex();

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace betr::replay
