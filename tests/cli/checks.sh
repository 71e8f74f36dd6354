# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the tests of the command share: a folder of their own as the current one, and checks that print
# a line each. To be sourced; APPELL is the path of the command, and here becomes the folder of the
# repository. 'finish' ends a test.
: "${APPELL:?the path of the appell command}"
case $APPELL in /*) ;; *) APPELL=$PWD/$APPELL ;; esac
unset NO_COLOR

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
# shellcheck disable=SC2034 # for those that source this
here=$PWD
cd "$tmp" || exit 1

checks=0
failures=0
unread=

# verdict STATUS WHAT
verdict() {
  checks=$((checks + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $checks - $2"
  else
    failures=$((failures + 1))
    echo "not ok $checks - $2"
    sed 's/^/#   stderr: /' err | head -n 5
  fi
}

# holds WHAT COMMAND...: the command succeeds.
holds() {
  what=$1
  shift
  "$@" >/dev/null 2>&1
  verdict $? "$what"
}

# try ARGUMENTS...: run the command; its outputs are in out and err, its status in rc.
try() {
  "$APPELL" "$@" >out 2>err </dev/null
  rc=$?
}

# gives STATUS ARGUMENTS...: the command ends with that status, and says nothing on standard error
# when that is 0.
gives() {
  wanted=$1
  shift
  try "$@"
  [ "$rc" -eq "$wanted" ] && { [ "$wanted" -ne 0 ] || [ ! -s err ]; }
  verdict $? "exit $wanted: appell $*"
}

one_line() { [ "$(wc -l <err)" -eq 1 ] && head -n 1 err | grep -q '^appell: '; }

# refuses STATUS PATTERN ARGUMENTS...: the command ends with that status and exactly one line that
# matches PATTERN.
refuses() {
  wanted=$1
  pattern=$2
  shift 2
  try "$@"
  [ "$rc" -eq "$wanted" ] && one_line && grep -q -e "$pattern" err
  verdict $? "exit $wanted, one line with '$pattern': appell $*"
}

# left_out WHAT: the test goes on without something; 'make test' shows these lines at its end.
left_out() { echo "skipped: $1"; }

# skip WHAT: ends a test that cannot run at all.
skip() {
  left_out "$1"
  exit 77
}

# needs WHAT COMMAND...: skips the test where there is none of these commands.
needs() {
  what=$1
  shift
  for command; do
    ! command -v "$command" >/dev/null || return 0
  done
  skip "$what is missing (scripts/setup ci)"
}

# json: out is exactly one JSON document (checked where there is a reader).
json() {
  if command -v python3 >/dev/null; then
    python3 -c '
import json, sys
json.load(open("out"), parse_constant=sys.exit)'
  else
    unread=yes
  fi
}

# finish: the end of a test, with 1 if a check failed.
finish() {
  echo "1..$checks"
  [ -z "$unread" ] || left_out 'JSON is not read back: Python is missing (scripts/setup ci)'
  [ "$failures" -eq 0 ] || echo "# $failures of $checks checks failed"
  [ "$failures" -eq 0 ]
  exit $?
}

# nothing_left FOLDER: it is empty.
nothing_left() { [ -z "$(ls -A "$1")" ]; }
