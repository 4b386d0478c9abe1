#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
exec "$BETR_SOURCE_DIR/scripts/lint"
