// SPDX-License-Identifier: Apache-2.0
// libfuse in the one version that all files here are written for.
#pragma once

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>
