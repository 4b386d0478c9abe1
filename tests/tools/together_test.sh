#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What all tools have in common, and how they meet each other on one image.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

# Whoever waits for the other end of a pipe holds the image for reading; a check holds it alone.
names_holders() {
  mkfifo pipe
  betrcp -i disk.img --tar :/ pipe &
  local reader=$!
  until fuser_of "$reader" disk.img; do sleep 0.1; done
  expect 3 betrcp -i disk.img --mkdir /refused
  said "betrcp: open: .*disk.img: in use for reading by pid $reader \(betrcp\)"
  expect 8 fsck.betr -y disk.img
  said "fsck.betr: .*disk.img: in use for reading by pid $reader \(betrcp\)"
  cat pipe >/dev/null
  wait $reader
}

# fuser_of PID FILE: whether the process has the file open.
fuser_of() { find "/proc/$1/fd" -lname "$PWD/$2" 2>/dev/null | grep -q .; }

knows_full_outputs() {
  expect 1 bash -c 'betrcp -i disk.img --list >/dev/full'
  said "betrcp: stdout: write: No space left on device"
  # More than is kept until the end.
  mkdir many
  touch many/{1..200}
  expect 0 betrcp -i disk.img -r many :/
  expect 1 bash -c 'betrcp -i disk.img --list --json many >/dev/full'
  said "betrcp: stdout: write: No space left on device"
  seq 100000 >numbers
  expect 0 betrcp -i disk.img numbers :/
  expect 1 bash -c 'betrcp -i disk.img --cat numbers >/dev/full'
  said "betrcp: stdout: write: No space left on device"
  expect 1 bash -c 'betrdump -i disk.img table >/dev/full'
  said "betrdump: stdout: write: No space left on device"
  expect 8 bash -c 'fsck.betr --json disk.img >/dev/full'
  said "fsck.betr: stdout: write: No space left on device"
}

tells_time_and_memory() {
  local tool
  for tool in "betrcp -i disk.img -v --list" "betrdump -i disk.img -v super" "fsck.betr -v disk.img" \
    "mkfs.betr -v -f -s 32M other.img"; do
    expect 0 $tool
    said "${tool%% *}: took [0-9.]+ s, at most [0-9.]+ MiB of memory"
  done
}

shows_what_entries_say() {
  expect 0 betrdump -i disk.img path meta /file
  printed "entry: -rw-r--r--, owner $(id -u):$(id -g), links 1, size 1, number [0-9]+, xattrs 0"
  expect 0 betrdump -i disk.img path data /file
  ! grep -q "^entry" out || fail "content is no entry"
  expect 0 betrdump -i disk.img --json path meta /file
  has "['type', 'mode', 'uid', 'gid', 'links', 'size', 'number', 'xattrs'] == list(shown['entry'])"
  has "shown['entry']['type'] == 'file' and shown['entry']['mode'] == '0644' and shown['entry']['size'] == 1"
  expect 0 betrdump -i disk.img --json path data /file
  has "'entry' not in shown"
  ln tree/file tree/second
  expect 0 betrcp -i disk.img -a tree :/linked
  expect 0 betrdump -i disk.img path meta /linked/file
  printed "entry: file, group [0-9]+ of the next link home above"
  expect 0 betrdump -i disk.img --json path meta /linked/file
  has "shown['entry']['type'] == 'file' and shown['entry']['group'] > 0"
}

# has CONDITION: of what betrdump has printed as JSON.
has() { python3 -c "import json; shown = json.load(open('out')); assert $1, shown"; }

# The content of a file with several names is at its link home: at the root, and in a clone at the clone's top.
finds_the_content_of_links() {
  local name
  mkdir several several/below
  head -c 9000 /dev/zero | tr '\0' v >several/below/one
  ln several/below/one several/two
  expect 0 betrcp -i disk.img -a several :/
  expect 0 betrcp -i disk.img --clone /several /clone
  for name in /several/below/one /several/two /clone/below/one /clone/two; do
    expect 0 betrdump -i disk.img path data $name
    printed "value: 4096 bytes"
    expect 0 betrdump -i disk.img path data $name --block 2
    printed "value: 808 bytes"
    expect 0 betrdump -i disk.img path data $name --block 3
    printed "no value"
  done
  printed 'key "clone\\x00/i.*"'
  expect 0 betrdump -i disk.img path data /several/two
  printed 'key "/i.*"'
}

# signals_of PID NAME...: whether the process catches (SigCgt) or ignores (SigIgn) those signals.
signals_of() {
  local pid=$1 set=$2 mask number
  shift 2
  mask=$((16#$(awk -v set="$set:" '$1 == set { print $2 }' "/proc/$pid/status")))
  for number in "$@"; do
    [ $((mask >> (number - 1) & 1)) = 1 ] || return 1
  done
}

# has_become NAME PID: whether the shell that was started as PID has made itself that program.
has_become() { [ "$(cat "/proc/$2/comm")" = "$1" ]; }

# A check ends by signals, but not by those that are ignored.
minds_signals() {
  local checker
  mkfifo printed
  exec 9<>printed
  timeout 1 cat /dev/zero >&9 || true # full: it waits when it prints
  (trap '' HUP INT && exec fsck.betr disk.img >&9) &
  checker=$!
  until has_become fsck.betr $checker && signals_of $checker SigCgt 15; do sleep 0.1; done
  signals_of $checker SigIgn 1 2 || fail "takes signals that were ignored"
  kill -KILL $checker
  wait $checker && fail "was not ended"
  env --default-signal=HUP,INT,TERM fsck.betr disk.img >&9 &
  checker=$!
  until has_become fsck.betr $checker && signals_of $checker SigCgt 1 2 15; do sleep 0.1; done
  kill -KILL $checker
  wait $checker && fail "was not ended"
  exec 9>&-
}

mkdir tree
umask 022
printf x >tree/file
expect 0 mkfs.betr -s 32M -d tree disk.img
names_holders
knows_full_outputs
minds_signals
tells_time_and_memory
shows_what_entries_say
finds_the_content_of_links
