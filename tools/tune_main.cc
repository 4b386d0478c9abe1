// SPDX-License-Identifier: Apache-2.0
#include "tune.h"

int main(int argc, char** argv) {
  betr::tools::ToolIo io = betr::tools::ProcessIo();
  return betr::tools::TuneMain({argv, static_cast<size_t>(argc)}, io);
}
