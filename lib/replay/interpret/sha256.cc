// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/sha256.h"

#include "base/check.h"
#include "base/escape.h"

namespace betr::replay {

// libcrypto fails only for want of memory, or without its SHA-256.
Sha256::Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
  Check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1, "libcrypto has SHA-256");
}

void Sha256::Add(std::string_view bytes) {
  Check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1, "a digest takes bytes");
}

std::string Sha256::Hex() {
  std::string digest(static_cast<size_t>(EVP_MD_size(EVP_sha256())), '\0');
  auto* const out = reinterpret_cast<unsigned char*>(digest.data());
  Check(EVP_DigestFinal_ex(context_.get(), out, nullptr) == 1, "a digest is taken once");
  return FormatHex(digest);
}

}  // namespace betr::replay
