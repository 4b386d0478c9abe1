#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What bench/evaluate tells the tools of file systems that need not be there.
exec python3 "$BETR_SOURCE_DIR/tests/evaluation/file_systems.py"
