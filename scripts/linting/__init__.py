# SPDX-License-Identifier: Apache-2.0
"""The checks behind scripts/lint."""
