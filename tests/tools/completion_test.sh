#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/completion.bash: what <Tab> would offer.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"
. "$BETR_SOURCE_DIR/packaging/completion.bash"

# offered LINE: what is offered at its end, sorted, in one line. Words are split as readline does, at colons too.
offered() {
  COMP_LINE=$1
  COMP_POINT=${#1}
  local spaced=${1//:/ : }
  read -ra COMP_WORDS <<<"$spaced"
  case $spaced in
    *" ") COMP_WORDS+=("") ;;
  esac
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _betr "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' '|'
}

# offers LINE WORDS: exactly these, with a | behind each.
offers() {
  [ "$(offered "$1")" = "$2" ] || fail "\"$1\": $(offered "$1"), not $2"
}

mkdir -p tree/sub/deep tree/"with space"
echo 1 >tree/sub/file
echo 2 >tree/sub/fine
touch tree/"with space/below"
mkfs.betr -q -s 16M -d tree disk.img
mkdir host
touch host/file

# Options.
offers "betrcp --exc" "--exclude|--exclude-from|"
offers "mkfs.betr --dry" "--dry-run|"
offers "betrdump node --key" "--keys|"
offers "betrdump --key" "|"
for tool in betr-ace betr-torture betrcp betrdump betrreplay fsck.betr mkfs.betr resize.betr tune.betr; do
  case $(offered "$tool -") in
    *"--help|"*"--version|"*) ;;
    *) fail "$tool: $(offered "$tool -")" ;;
  esac
done
offers "mkfs.betr --compress z" "zstd|"
offers "mkfs.betr -O " "list|"
offers "betrdump su" "super|"

# Names on the host, and inside an image, wherever it is named.
offers "betrcp -a hos" "host|"
offers "betrcp disk.img:/s" "/sub/|"
offers "betrcp disk.img:/sub/fi" "/sub/file|/sub/fine|"
offers "betrcp disk.img:/sub/file" "/sub/file|"
offers "betrcp disk.img:/w" "/with space/|"
offers "betrcp disk.img:/with\\ space/" "/with space/below|"
offers "betrcp -i disk.img --cat :/sub/d" "/sub/deep/|"
export BETR_IMAGE=disk.img
offers "betrcp --cat :/sub/fin" "/sub/fine|"
offers "betrcp --cat :/none" "|"
BETR_IMAGE=nosuch.img
offers "betrcp --cat :/s" "|"
# Also while somebody has it.
BETR_IMAGE=disk.img
looks() { offers "betrcp --cat :/sub/fin" "/sub/fine|"; }
holding disk.img looks
