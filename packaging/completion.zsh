#compdef betr-ace betr-torture betrcp betrdump betrreplay fsck.betr mkfs.betr mount.betr resize.betr tune.betr umount.betr
# SPDX-License-Identifier: Apache-2.0
# Completion of the tools' command lines in zsh: options as --help tells them, and files.
_gnu_generic "$@"
