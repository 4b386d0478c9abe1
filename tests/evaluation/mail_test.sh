#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The clients of the IMAP server in bench/evaluate.
exec python3 "$BETR_SOURCE_DIR/tests/evaluation/mail.py"
