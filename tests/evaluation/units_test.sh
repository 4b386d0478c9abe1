#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The parts of bench/evaluate that need no disk.
exec python3 "$BETR_SOURCE_DIR/tests/evaluation/units.py"
