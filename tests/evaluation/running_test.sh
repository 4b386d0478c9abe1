#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How bench/evaluate runs what it runs, without a disk.
exec python3 "$BETR_SOURCE_DIR/tests/evaluation/running.py"
