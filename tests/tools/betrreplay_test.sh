#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrreplay: traces of a small shell script, in two forms that strace prints, replayed to their final state.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

data=$BETR_SOURCE_DIR/tests/replay/data
before=$data/shell.manifest.zst
after=$data/shell.final.zst

replays_in_an_image() {
  for form in plain stderr; do
    mkfs.betr -q -s 256M $form.img
    expect 0 betrreplay -i $form.img --manifest "$before" --check "$after" "$data/shell-$form.strace.zst"
    silent
    printed "check +43 objects, 0 differences, 0 explained; digest equal"
    printed "rename +123 .*"
    printed "trace .* 0 not parsed.*"
    [ -z "$(grep -E 'contradicts|differ from' out)" ] || fail "$form: $(cat out)"
    expect 0 fsck.betr $form.img
    expect 0 betrcp -i $form.img --list -l a/b
  done
}

replays_as_earlier_versions() {
  local experiments
  for experiments in rename-by-copy,delete-by-key,early-binding,split-by-size \
    zones=4K,split-by-size eager-gotos,split-by-size copy-at-once; do
    rm -f version.img
    mkfs.betr -q -s 256M version.img
    expect 0 betrreplay -i version.img --experiment $experiments --manifest "$before" --check "$after" \
      "$data/shell-plain.strace.zst"
    silent
    printed "check +43 objects, 0 differences, 0 explained; digest equal"
    expect 0 fsck.betr version.img
  done
}

replays_in_a_directory() {
  mkdir here
  chmod 755 here
  expect 0 betrreplay --dir here --manifest "$before" --check "$after" "$data/shell-plain.strace.zst"
  printed "check +43 objects, 0 differences, 0 explained; digest equal"
  [ "$(stat -c %s here/a.tar)" = 102400 ] || fail "size of a.tar"
}

replays_with_threads() {
  mkfs.betr -q -s 256M threads.img
  expect 0 betrreplay -i threads.img --threads --manifest "$before" --check "$after" "$data/shell-stderr.strace.zst"
  printed "check +43 objects, 0 differences, 0 explained; digest equal"
  printed "rename +123 .*"
  expect 0 fsck.betr threads.img
  mkdir threads.d
  chmod 755 threads.d
  expect 0 betrreplay --dir threads.d --threads --manifest "$before" --check "$after" "$data/shell-plain.strace.zst"
  printed "check +43 objects, 0 differences, 0 explained; digest equal"
}

refuses_what_is_not_empty() {
  expect 3 betrreplay --dir here --manifest "$before" "$data/shell-plain.strace.zst"
  said "betrreplay: here: what the trace is to be replayed on is not empty"
  expect 3 betrreplay -i plain.img --manifest "$before" "$data/shell-plain.strace.zst"
  said "betrreplay: plain.img: what the trace is to be replayed on is not empty"
}

infers_what_was_there() {
  expect 0 betrreplay --print-manifest "$data/shell-stderr.strace.zst"
  printed "/mnt/w/src/words	f	0644	38893	-"
  printed "/mnt/w/src/lnk	l	0777	5	->words"
  cp out inferred
  mkdir inferred.d
  expect 0 betrreplay --dir inferred.d "$data/shell-plain.strace.zst"
  expect 0 betrreplay --manifest inferred "$data/shell-plain.strace.zst"
}

tells_what_differs() {
  zstdcat "$after" | sed -e 's|^/mnt/w/cfr\tf\t0640|/mnt/w/cfr\tf\t0600|' -e '/thr.1/d' >wrong
  expect 1 betrreplay --manifest "$before" --check wrong "$data/shell-plain.strace.zst"
  printed "  /mnt/w/cfr: mode 0640 instead of 0600"
  printed "  /mnt/w/thr.1: not expected"
  zstdcat "$after" | sed 1d >no-digest
  expect 0 betrreplay --manifest "$before" --check no-digest "$data/shell-plain.strace.zst"
  printed "check +43 objects, 0 differences, 0 explained"
  printf '7 mkdir("/mnt/w/new", 0755) = 0\nnonsense\n7 rmdir("/mnt/w/none") = 0\n' >odd
  expect 0 betrreplay --manifest "$before" odd
  printed "  odd:2: neither a call nor an event: nonsense"
  printed " +1  rmdir: 0 in the trace, ENOENT by the name space"
  ! grep -q unfinished out || fail "unfinished: $(cat out)"
  printf '7 mkdir("/mnt/w/new", 0755) = 0\n7 read(3, <unfinished ...>\n' >killed
  expect 0 betrreplay --manifest "$before" killed
  printed "trace .* 0 not parsed, 1 unfinished, .*"
}

prints_json() {
  expect 0 betrreplay --json --manifest "$before" --check "$after" "$data/shell-plain.strace.zst"
  python3 -c "
import json
report = json.load(open('out'))
assert report['schema'] == 'betr.replay', report
assert report['check']['digest_equal'] and not report['check']['differences'], report['check']
kinds = {kind['kind']: kind for kind in report['operations']}
assert kinds['rename']['count'] == 123 and kinds['rename']['different'] == 0, kinds
assert report['trace']['lines'] == 5703 and report['trace']['unparsed'] == 0, report['trace']"
}

# As JSON, without what depends on times.
lasting() {
  python3 -c "
import json
report = json.load(open('out'))
report.pop('seconds')
report['operations'] = [[kind['kind'], kind['count'], kind['failed'], kind['different']]
                        for kind in report['operations'] if kind['kind'] != 'lookup']
print(json.dumps(report, sort_keys=True))" >"$1"
}

converts() {
  for form in plain stderr; do
    expect 0 betrreplay --manifest "$before" --convert $form.trace "$data/shell-$form.strace.zst"
    printed "converted +$form.trace, .*KiB"
    printed "trace .* 0 not parsed.*"
    expect 0 betrreplay --json --manifest "$before" --check "$after" "$data/shell-$form.strace.zst"
    lasting direct
    expect 0 betrreplay --json --check "$after" $form.trace
    lasting converted
    cmp direct converted || fail "$form: $(diff direct converted)"
    mkfs.betr -q -s 256M converted-$form.img
    expect 0 betrreplay -i converted-$form.img --check "$after" $form.trace
    printed "check +43 objects, 0 differences, 0 explained; digest equal"
  done
  expect 1 betrreplay --manifest "$before" --convert none/x.trace "$data/shell-plain.strace.zst"
  said "betrreplay: convert: none/x.trace: cannot be written: No such file or directory"
  mkdir converted.d
  chmod 755 converted.d
  expect 0 betrreplay --dir converted.d --check "$after" plain.trace
  expect 0 betrreplay --print-manifest plain.trace
  zstdcat "$before" | cmp - out || fail "the initial state is another one"
}

converts_back() {
  for form in plain stderr; do
    expect 0 betrreplay --convert $form.txt $form.trace
    printed "converted +$form.txt, .*KiB"
    expect 0 betrreplay --json --convert $form.again $form.txt
    cmp $form.trace $form.again || fail "converted to text and back it is another file"
  done
  [ "$(grep -c '^rename ' plain.txt)" = 123 ] || fail "renames: $(grep -c '^rename ' plain.txt)"
  mkfs.betr -q -s 256M text.img
  expect 0 betrreplay -i text.img --check "$after" plain.txt
  printed "check +43 objects, 0 differences, 0 explained; digest equal"
  zstd -q plain.txt
  expect 0 betrreplay --check "$after" plain.txt.zst
}

refuses_damaged_conversions() {
  expect 3 betrreplay --manifest "$before" --convert plain.trace "$data/shell-plain.strace.zst"
  said "betrreplay: plain.trace: exists already"
  expect 1 betrreplay --convert none/x plain.trace
  head -c 3000 plain.trace >cut.trace
  expect 4 betrreplay cut.trace
  said "betrreplay: .*: cut.trace: the file is cut: it ends at byte 3000, .*"
  expect 4 betrreplay --convert new.trace cut.trace
  [ ! -e new.trace ] || fail "what failed is still there"
  cp plain.trace wrong.trace
  printf x | dd of=wrong.trace bs=1 seek=2000 conv=notrunc status=none
  expect 4 betrreplay wrong.trace
  said "betrreplay: .*: wrong.trace: block . at byte .*: wrong checksum"
  sed -e 100q plain.txt >cut.txt
  expect 4 betrreplay cut.txt
  said "betrreplay: .*: cut.txt:100: the file is cut: .*"
  head -c -10 cut.txt >cut-line.txt
  expect 4 betrreplay cut-line.txt
  said "betrreplay: .*: cut-line.txt:100: the file is cut in this line"
  sed -e '0,/^mkdir .*/s//mkdir nonsense/' plain.txt >wrong.txt
  expect 1 betrreplay --convert new.trace wrong.txt
  said "betrreplay: convert: wrong.txt:[0-9]*: no such field, or not in its place: nonsense"
  expect 2 betrreplay --manifest "$before" plain.txt
  expect 2 betrreplay --root /mnt/w plain.trace
  expect 2 betrreplay --manifest "$before" plain.trace
  expect 2 betrreplay --convert x --print-manifest plain.trace
  expect 2 betrreplay --convert x --dir here plain.trace
  expect 1 betrreplay --manifest "$before" plain.trace plain.again
  said "betrreplay: .*plain.trace: a converted trace has to be a file, and alone"
  expect 1 betrreplay --manifest "$before" - <plain.txt
  said "betrreplay: .*-: a converted trace has to be a file, and alone"
}

models_a_disk() {
  mkfs.betr -q -s 256M modelled.img
  expect 0 betrreplay --json -i modelled.img --disk hdd-7200 --manifest "$before" "$data/shell-plain.strace.zst"
  python3 -c "
import json
device = json.load(open('out'))['device']
assert 0.01 < device['modelled_seconds'] < 1 and device['modelled_wait_seconds'] > 0.01, device
# Each seek takes the arm 0.8 ms at least, and the head passes bytes besides.
assert 0 < device['seeks'] < device['modelled_seconds'] / 0.0008, device"
}

waits_for_the_disk() {
  mkfs.betr -q -s 256M waited.img
  expect 0 betrreplay --json -i waited.img --disk hdd-7200 --disk-wait --manifest "$before" \
    "$data/shell-plain.strace.zst"
  python3 -c "
import json
report = json.load(open('out'))
device = report['device']
assert device['modelled_wait_seconds'] > 0.01, device
# What the disk did took its time; what two threads wait for at once is waited for once.
assert report['seconds'] > device['modelled_seconds'] / 2, report"
}

# How long the replay of `timed` took, and how late its end was, at some speed.
at_speed() {
  expect 0 betrreplay --json --speed "$1" timed
  python3 -c "
import json
report = json.load(open('out'))
assert report['trace']['seconds'] == 0.4, report
# Nothing begins before its time.
assert report['seconds'] >= 0.4 / $1, report
assert ('late_seconds' in report) and report['operations'][0]['count'] == 2, report"
}

keeps_the_rhythm() {
  printf '%s\n' '1 1700000000.000000 mkdir("/mnt/w/a", 0755) = 0' \
    '1 1700000000.400000 mkdir("/mnt/w/b", 0755) = 0' >timed
  at_speed 2
  at_speed 8
  at_speed 1000
  expect 2 betrreplay --speed -1 timed
  expect 2 betrreplay --speed fast timed
}

draws_a_plot() {
  mkfs.betr -q -s 256M drawn.img
  expect 0 betrreplay -q -i drawn.img --disk hdd-7200 --manifest "$before" --plot plot.svg \
    "$data/shell-plain.strace.zst"
  python3 -c "
import xml.etree.ElementTree as tree
root = tree.parse('plot.svg').getroot()
space = '{http://www.w3.org/2000/svg}'
texts = [node.text for node in root.iter(space + 'text')]
for wanted in ('operations per second', 'MB written per second', 'by the programs', 'to the device',
               'seconds that the disk was busy, by its model', 'seconds of the replay'):
    assert wanted in texts, (wanted, texts)
lines = [node.get('points').split() for node in root.iter(space + 'polyline')]
assert len(lines) == 4 and all(2 < len(points) <= 512 for points in lines), [len(points) for points in lines]
width, height = float(root.get('width')), float(root.get('height'))
for points in lines:
    for point in points:
        x, y = map(float, point.split(','))
        assert 0 <= x <= width and 0 <= y <= height, point"
  expect 2 betrreplay --plot plot.svg --manifest "$before" "$data/shell-plain.strace.zst"
  mkdir drawn
  expect 1 betrreplay --dir drawn --manifest "$before" --plot none/plot.svg "$data/shell-plain.strace.zst"
  said "betrreplay: plot: none/plot.svg: cannot be written: No such file or directory"
}

refuses_wrong_commands() {
  expect 2 betrreplay --disk hdd-7200 --dir here x
  expect 2 betrreplay --disk no-such -i plain.img x
  said "betrreplay: --disk: no-such: no such profile"
  expect 2 betrreplay --disk-wait -i plain.img x
  expect 2 betrreplay
  expect 2 betrreplay --dir here -i plain.img x
  expect 2 betrreplay --root relative x
  expect 2 betrreplay --root '' x
  expect 2 betrreplay --cwd '' x
  expect 2 betrreplay -
  expect 1 betrreplay no-such-trace
  said "betrreplay: initial state: no-such-trace: open: No such file or directory"
  expect 1 betrreplay /etc/passwd
  said "betrreplay: replay: no trace: /etc/passwd:1: .*"
  expect 1 betrreplay --convert converted-users /etc/passwd
  [ ! -e converted-users ] || fail "there is a converted trace of what is none"
  head -c 1000 "$data/shell-plain.strace.zst" >cut.zst
  expect 1 betrreplay --manifest "$before" cut.zst
  said ".*zstd.*"
  echo "/mnt/w/x	f	0644	1" >half
  expect 1 betrreplay --manifest "$before" --check half "$data/shell-plain.strace.zst"
  echo nonsense >half
  expect 1 betrreplay --manifest half "$data/shell-plain.strace.zst"
  said "betrreplay: initial state: half:1: .*"
}

# A pipe is empty when it is read for the second time.
refuses_to_read_a_pipe_twice() {
  printf '7 mkdir("/mnt/w/new", 0755) = 0\n' >once
  mkfifo pipe
  expect 2 betrreplay pipe
  said "betrreplay: pipe can be read only once: a trace of strace needs --manifest, a converted one has to be a file"
  expect 2 betrreplay once <(cat once)
  expect 2 betrreplay --convert of-pipe <(cat once)
  expect 0 betrreplay --manifest "$before" <(cat once)
  printed "mkdir +1 .*"
  expect 0 betrreplay --print-manifest <(cat once)
}

# BETR_IMAGE is for where neither -i nor something else says what is to be done.
takes_the_image_of_the_environment() {
  mkfs.betr -q -s 256M environment.img
  export BETR_IMAGE=$PWD/environment.img
  expect 0 betrreplay --print-manifest once
  expect 0 betrreplay --convert of-environment once
  mkdir environment.d
  expect 0 betrreplay --dir environment.d --manifest "$before" once
  [ -d environment.d/new ] || fail "it was not replayed in the directory"
  expect 2 betrreplay --dir environment.d -i environment.img once
  expect 0 betrreplay once
  printed "device .*"
  expect 3 betrreplay once
  unset BETR_IMAGE
}

# What is needed after the replay is tried before it; then the image is still empty.
checks_files_before_the_replay() {
  mkfs.betr -q -s 256M late.img
  echo nonsense >half
  expect 1 betrreplay -i late.img --check half once
  expect 1 betrreplay -i late.img --check no-such-listing once
  expect 1 betrreplay -i late.img --plot none/plot.svg once
  cp once plotted
  expect 2 betrreplay -i late.img --plot late.img once
  said "betrreplay: --plot: late.img is read or replayed on, and would be lost"
  expect 2 betrreplay -i late.img --plot ./plotted once plotted
  cmp once plotted || fail "the trace is overwritten"
  expect 0 betrreplay -i late.img --plot new.svg once
}

uses_the_umask_before_the_trace() {
  printf '7 mkdir("/mnt/w/new", 0777) = 0\n' >masked
  printf '/mnt/w	d	0755	0	-\n/mnt/w/new	d	0750	0	-\n' >masked.final
  expect 0 betrreplay --umask 027 --check masked.final masked
  expect 1 betrreplay --check masked.final masked
  expect 2 betrreplay --umask 8 masked
  said "betrreplay: --umask: '8' is not an octal number up to 777"
  expect 2 betrreplay --umask 1777 masked
  expect 0 betrreplay --umask 027 --convert masked.trace masked
  expect 0 betrreplay --check masked.final masked.trace
  expect 2 betrreplay --umask 027 masked.trace
}

takes_a_root_as_it_is_written() {
  printf '7 mkdir("/mnt/w/new", 0777) = 0\n' >one
  printf '/mnt/w	d	0755	0	-\n/mnt/w/new	d	0755	0	-\n' >one.final
  for root in /mnt/w/ //mnt/./w/. /mnt/x/../w/x/..; do
    expect 0 betrreplay --root "$root" --check one.final one
  done
}

says_what_is_in_vain() {
  expect 0 betrreplay --speed 1 once
  said "betrreplay: --speed: the trace has no times, so nothing was waited for"
  expect 2 betrreplay --speed nan once
  expect 0 betrreplay --root /elsewhere once
  said "betrreplay: no call is about /elsewhere, .*"
  : >empty
  echo '7 +++ exited with 0 +++' >exited
  for trace in empty exited; do
    expect 0 betrreplay $trace
    said "betrreplay: there are no calls in the trace"
    expect 0 betrreplay --convert $trace.trace $trace
    said "betrreplay: there are no calls in the trace"
    expect 0 betrreplay -q $trace.trace
    silent
  done
  printf '7 mkdir("new", 0755) = 0\n' >relative
  expect 0 betrreplay --manifest "$before" relative
  printed " +1  a relative path, and the working directory is not known \(--cwd\)"
  expect 2 betrreplay --dir here --cache 1G once
  said "betrreplay: --cache: only with an image"
  expect 2 betrreplay --dir here --experiment copy-at-once once
  zstd -q -k plain.trace
  expect 1 betrreplay plain.trace.zst
  said "betrreplay: .*plain.trace.zst: .*decompress it .*"
}

umask 022
replays_in_an_image
replays_as_earlier_versions
replays_in_a_directory
replays_with_threads
refuses_what_is_not_empty
infers_what_was_there
tells_what_differs
prints_json
converts
converts_back
refuses_damaged_conversions
models_a_disk
waits_for_the_disk
keeps_the_rhythm
draws_a_plot
refuses_to_read_a_pipe_twice
takes_the_image_of_the_environment
checks_files_before_the_replay
uses_the_umask_before_the_trace
takes_a_root_as_it_is_written
says_what_is_in_vain
refuses_wrong_commands
