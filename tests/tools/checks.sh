# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts in this folder: a directory to work in, the tools on the PATH, ways to say what is expected.
set -euo pipefail

test_name=$(basename "$0" .sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=${BETR_BIN_DIR:?}:$PATH
cd "$work"
unset BETR_IMAGE SOURCE_DATE_EPOCH

fail() {
  echo "$test_name: $*" >&2
  exit 1
}

# expect CODE COMMAND...: runs it, wants that exit code; its output is in the files out and err.
expect() {
  local wanted=$1 code=0
  shift
  "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "$*: exit $code, not $wanted: $(cat out err)"
}

# terminated CODE READY COMMAND...: runs it, ends it by SIGTERM once `READY PID` succeeds, and wants that exit code; its
# output is in the file terminated.out.
terminated() {
  local wanted=$1 ready=$2 code=0 running
  shift 2
  "$@" >terminated.out 2>&1 &
  running=$!
  until "$ready" $running; do
    kill -0 $running || fail "$*: has ended by itself: $(cat terminated.out)"
    sleep 0.1
  done
  kill -TERM $running
  wait $running || code=$?
  [ $code = "$wanted" ] || fail "$*: exit $code after a signal, not $wanted: $(cat terminated.out)"
}

# said REGEX: the last command printed a line on stderr that matches as a whole.
said() {
  grep -Eqx -- "$1" err || fail "no \"$1\" on stderr: $(cat err)"
}

# printed REGEX: the same for stdout.
printed() {
  grep -Eqx -- "$1" out || fail "no \"$1\" on stdout: $(cat out)"
}

silent() {
  [ ! -s err ] || fail "stderr: $(cat err)"
}

same_tree() { # <directory> <directory>: names, types, contents
  diff -r --no-dereference "$1" "$2" || fail "$1 and $2 differ"
}

# attributes DIRECTORY: one line per file with what -a keeps.
attributes() {
  (cd "$1" && find . -printf '%p %y %m %U %G %n %s %T@ %l\n' | sed -E '/ d / s/( [0-9]+){2}( [0-9.]+ *)$/\2/' | sort)
}

# holding IMAGE COMMAND...: runs the command while another process has the image open for changing.
holding() {
  local image=$1
  shift
  mkfifo held.tar
  exec 9<>held.tar # the holder has opened the image before it waits for an archive that we never begin
  betrcp -i "$image" --tar held.tar :/held >held.out 2>&1 9>&- &
  local holder=$!
  local tries=0
  # Before it is the program, the process has our descriptor 9.
  until find "/proc/$holder/fd" ! -name 9 -lname "$PWD/held.tar" 2>/dev/null | grep -q .; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || fail "nobody holds $image: $(cat held.out)"
    sleep 0.1
  done
  "$@"
  exec 9>&-
  wait $holder || true
  rm -f held.tar
}
