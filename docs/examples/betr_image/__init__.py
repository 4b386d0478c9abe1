# SPDX-License-Identifier: Apache-2.0
"""A second reader of images, made of the documents alone. Each module is a section of one of them."""
