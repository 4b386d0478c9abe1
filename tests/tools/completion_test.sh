#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/completion.bash: what <Tab> would offer.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"
. "$BETR_SOURCE_DIR/packaging/completion.bash"

# offered LINE: what is offered at its end, sorted, in one line. Readline gives what is behind the last break that is
# not quoted; within quotes, all behind the mark.
offered() {
  COMP_LINE=$1
  COMP_POINT=${#1}
  local current mark
  current=$(sed -E 's/.*[^\\][ :=]//' <<<"$1")
  for mark in \" \'; do
    case $1 in
      *"$mark"*"$mark"*) ;;
      *"$mark"*) current=${1##*"$mark"} ;;
    esac
  done
  _betr "${1%% *}" "$current"
  printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' '|'
}

# offers LINE WORDS: exactly these, with a | behind each.
offers() {
  [ "$(offered "$1")" = "$2" ] || fail "\"$1\": $(offered "$1"), not $2"
}

mkdir -p tree/sub/deep tree/"with space" "tree/co:lon/a:b"
echo 1 >tree/sub/file
echo 2 >tree/sub/fine
touch tree/"with space/below" tree/"quo\"te" tree/"back\\slash" tree/'$(run)' tree/'`run`'
mkfs.betr -q -s 16M -d tree disk.img
for name in "my disk.img" c:olon.img; do cp disk.img "$name"; done
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
offers "mkfs.betr --compress=z" "zstd|"
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
# With what readline ends words at, and with quotes: what is offered takes the place of what readline has of the word.
offers "betrcp disk.img:/c" "/co:lon/|"
offers 'betrcp disk.img:/co\:lon/a\:' "/co:lon/a:b/|"
offers "betrcp disk.img:/co:lon/a" "lon/a:b/|"
offers "betrcp disk.img:/co:lon/a:" "b/|"
offers 'betrcp "disk.img:/with sp' "disk.img:/with space/|"
offers "betrcp 'disk.img:/with space/b" "disk.img:/with space/below|"
offers "betrcp disk.img:/q" '/quo"te|'
offers 'betrcp disk.img:/back\\' "/back\\slash|"
offers 'betrcp "my disk.img":/sub/d' "/sub/deep/|"
offers 'betrcp my\ disk.img:/sub/d' "/sub/deep/|"
offers "betrcp c:olon.img:/sub/d" "/sub/deep/|"
HOME=$PWD
offers 'betrcp ~/disk.img:/sub/d' "/sub/deep/|"
offers 'betrcp -i ~/disk.img --cat :/sub/d' "/sub/deep/|"
for image in '"my disk.img"' "'my disk.img'" 'my\ disk.img' c:olon.img; do
  offers "betrcp -i $image --cat :/sub/d" "/sub/deep/|"
  offers "betrcp --image=$image --cat :/sub/d" "/sub/deep/|"
  offers "betrcp -i$image --cat :/sub/d" "/sub/deep/|"
done
# What readline would leave unquoted, so that the shell ran it.
for start in '$' '\$' '`' '\`'; do offers "betrcp disk.img:/$start" "|"; done

export BETR_IMAGE=disk.img
offers "betrcp --cat :/sub/fin" "/sub/fine|"
offers "betrcp --tar --since=:/sub/d" "/sub/deep/|"
offers "betrcp --cat :/none" "|"
BETR_IMAGE=nosuch.img
offers "betrcp --cat :/s" "|"
# Also while somebody has it.
BETR_IMAGE=disk.img
looks() { offers "betrcp --cat :/sub/fin" "/sub/fine|"; }
holding disk.img looks
