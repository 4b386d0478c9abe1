#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What bench/evaluate starts, mounts and attaches, and that it ends.
exec python3 "$BETR_SOURCE_DIR/tests/evaluation/processes.py"
