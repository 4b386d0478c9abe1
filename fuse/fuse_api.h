// SPDX-License-Identifier: Apache-2.0
// Includes libfuse with the one API version that all files here are written for.
#pragma once

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>
