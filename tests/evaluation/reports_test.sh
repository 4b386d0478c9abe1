#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The report of bench/evaluate.
exec python3 "$BETR_SOURCE_DIR/tests/evaluation/reports.py"
