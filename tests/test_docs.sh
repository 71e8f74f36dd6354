#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The documentation holds: links lead to files, marked blocks of C compile or equal the program they
# show, marked shell commands run, the model files are the built-in robots, and others are read. Runs in the folder of the
# sources; APPELL is the path of the command. docs/contributing.md lists the marks.
set -u
: "${APPELL:?the path of the appell command}"
case $APPELL in /*) ;; *) APPELL=$PWD/$APPELL ;; esac
export APPELL
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

pages="README.md CHANGELOG.md models/README.md $(echo docs/*.md docs/methods/*.md)"
checks=0
failures=0

# verdict STATUS WHAT
verdict() {
  checks=$((checks + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $checks - $2"
  else
    failures=$((failures + 1))
    echo "not ok $checks - $2"
    sed 's/^/#   /' "$tmp/log" | head -n 12
  fi
}

# ---- links --------------------------------------------------------------------------------------

# Targets of the links of a page, without anchors; nothing in code blocks counts.
links_of() {
  awk '/^```/ { code = !code } !code { gsub(/`[^`]*`/, ""); print }' "$1" |
    grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^[a-z]*:' | grep -v '^$' | sort -u
}

for page in $pages; do
  folder=$(dirname "$page")
  : >"$tmp/log"
  for target in $(links_of "$page"); do
    [ -e "$folder/$target" ] || echo "no such file: $target" >>"$tmp/log"
  done
  [ ! -s "$tmp/log" ]
  verdict $? "links of $page"
done

# Files of the tree that pages name in backquotes exist.
for page in $pages; do
  [ "$page" != CHANGELOG.md ] || continue
  grep -oE '`(src|include|cli|tests|bench|scripts|examples|models|web|papers)/[a-z0-9_./-]*[a-z0-9]`' "$page" | tr -d '`' | sort -u |
    while read -r file; do [ -e "$file" ] || echo "no such file: $file"; done >"$tmp/log"
  [ ! -s "$tmp/log" ]
  verdict $? "files that $page names"
done

# The same after an installation. APPELL lies in the build folder.
build=$(dirname "$APPELL")
if [ -f "$build/cmake_install.cmake" ]; then
  DESTDIR='' cmake --install "$build" --prefix "$tmp/installed" >"$tmp/log" 2>&1
  verdict $? 'installation'
  for page in $(cd "$tmp/installed" && find . -name '*.md'); do
    : >"$tmp/log"
    for target in $(links_of "$tmp/installed/$page"); do
      [ -e "$(dirname "$tmp/installed/$page")/$target" ] || echo "no such file: $target" >>"$tmp/log"
    done
    [ ! -s "$tmp/log" ]
    verdict $? "links of installed $page"
  done
fi

# ---- blocks -------------------------------------------------------------------------------------

# Writes every marked block of a page to $tmp/block.N, and its mark, with the line it starts on, to
# $tmp/marks: "N LINE MARK...".
blocks_of() {
  rm -f "$tmp"/block.*
  awk -v out="$tmp/block." '
    /^<!-- (program: .*|compile: body|run|prints: .*) -->$/ {
      mark = $0
      sub(/^<!-- /, "", mark)
      sub(/ -->$/, "", mark)
      next
    }
    /^```/ && !inside {
      inside = 1
      if (mark != "") { n++; print n, FNR, mark; printf "" >(out n) }
      next
    }
    /^```/ { inside = 0; if (mark != "") close(out n); mark = ""; next }
    inside && mark != "" { print >(out n); next }
    !inside && mark != "" { print 0, FNR, "mark without a block"; mark = "" }' "$1" >"$tmp/marks"
}

compile() {
  ${CC:-cc} -std=c17 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Werror -Wno-unused \
    -Iinclude "$1"
}

# A program of the repository, to the letter but for the line that names its licence.
check_program() { grep -v '^// SPDX-License-Identifier' "$2" | diff -u - "$1" && cp "$1" "$tmp/block.c" && compile "$tmp/block.c"; }

# Statements that could stand in a function.
check_body() {
  {
    echo '#include <appell/appell.h>'
    echo '#include <appell/convex.h>'
    echo '#include <appell/file.h>'
    echo '#include <appell/ident.h>'
    echo '#include <appell/topp.h>'
    echo '#include <stdio.h>'
    echo 'void body(const ap_model *m, ap_work *w, double *q, double *v, double *a, double *tau);'
    echo 'void body(const ap_model *m, ap_work *w, double *q, double *v, double *a, double *tau) {'
    cat "$1"
    echo '}'
  } >"$tmp/body.c"
  compile "$tmp/body.c"
}

# Commands, in a folder of their own that has the models.
check_commands() {
  rm -rf "$tmp/run"
  mkdir "$tmp/run"
  ln -s "$root/models" "$tmp/run/models"
  # shellcheck disable=SC2016 # for the shell that runs the block
  { echo 'appell() { "$APPELL" "$@"; }' && cat "$1"; } >"$tmp/run.sh"
  (cd "$tmp/run" && sh -eu "$tmp/run.sh")
}

# Lines that a command prints, in this order; between two of them, where ... stands, there may be
# others. How many blanks separate words does not matter.
check_printed() {
  echo "$2" >"$tmp/command"
  check_commands "$tmp/command" >"$tmp/printed" || return 1
  awk '
    { gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/ $/, "") }
    NR == FNR { printed[NR] = $0; n = NR; next }
    $0 == "..." { skip = 1; next }
    {
      if (FNR == 1) skip = 1
      do at++; while (skip && at <= n && printed[at] != $0)
      if (at > n || printed[at] != $0) { print "not printed here: " $0; exit bad = 1 }
      skip = 0
    }
    END { exit bad }' "$tmp/printed" "$1"
}

check_block() {
  block=$tmp/block.$1
  case $2 in
    'program: '*) check_program "$block" "${2#program: }" ;;
    'compile: body') check_body "$block" ;;
    run) check_commands "$block" ;;
    'prints: '*) check_printed "$block" "${2#prints: }" ;;
    *) echo "$2" && return 1 ;;
  esac
}

for page in $pages; do
  blocks_of "$page"
  while read -r number line mark; do
    check_block "$number" "$mark" >"$tmp/log" 2>&1 </dev/null
    status=$?
    # What this build lacks it says; a page shows what a whole one does.
    if [ "$status" -ne 0 ] && grep -q 'built without' "$tmp/log"; then
      status=0
      echo "skipped: $(sed -n 's/.*\(built without [A-Za-z0-9 ]*[A-Za-z0-9]\).*/\1/p' "$tmp/log" | head -n 1) (scripts/setup)"
    fi
    verdict "$status" "$page:$line: $mark"
  done <"$tmp/marks"
done

# ---- the README's front -------------------------------------------------------------------------

lines=$(wc -l <README.md)
echo "README.md has $lines lines (at most 120)" >"$tmp/log"
[ "$lines" -le 120 ]
verdict $? 'README.md is short'

# Its times are those that 'bench/record xeon' has recorded.
# recorded WHAT PATH [loop]: the median for the PUMA 600 in double precision, in whole ns
recorded() {
  awk -v what="$1" -v path="$2" -v key="${3-ns}:" '
    { gsub(/[",]/, "") }
    $1 == "model:" { model = $2 }
    $1 == "what:" { w = $2 }
    $1 == "path:" { p = $2 }
    $1 == "real:" { real = $2 }
    $1 == key && model == "puma600" && w == what && p == path && real == "f64" { printf "%.0f", $2 }
  ' bench/results/xeon.json
}
# row NAME WHAT [loop]
row() {
  line="| $1 |"
  for path in general kdl mujoco pinocchio rbdl; do line="$line $(recorded "$2" $path "${3-ns}") ns |"; done
  echo "$line" >"$tmp/log"
  grep -qF "$line" README.md
  verdict $? "README.md has the recorded times: $1"
}
row 'inverse dynamics, any robot' inverse
row '... one call in a control loop' inverse loop
row 'inertia matrix' inertia
row 'forward dynamics' forward
echo "| $(recorded inverse generated) / $(recorded inverse batch) ns |" >"$tmp/log"
grep -qF "$(cat "$tmp/log")" README.md
verdict $? 'README.md has the recorded times of generated code and batches'

# ---- models -------------------------------------------------------------------------------------

# A scenario is told by its first key; tests/test_scenario*.c read those.
first_key() { sed -n '/^[^#]/ { s/:.*//; p; q; }' "$1"; }

"$APPELL" models --json | grep -o '"name": *"[^"]*"' | sed 's/.*"\([^"]*\)"$/\1/' >"$tmp/builtin"
for file in models/*.yaml; do
  name=$(basename "$file" .yaml)
  if [ "$(first_key "$file")" = appell-scenario ]; then
    grep -q "models/$name.yaml\|\"$name\"" tests/test_scenario.c tests/test_scenario_closed.c
    verdict $? "$file is read by a test of scenarios"
  elif grep -qx "$name" "$tmp/builtin"; then
    "$APPELL" convert "$name" "$tmp/$name.yaml" >"$tmp/log" 2>&1 && cmp "$file" "$tmp/$name.yaml" >>"$tmp/log" 2>&1
    verdict $? "$file is the built-in robot"
  else
    "$APPELL" info "$file" >"$tmp/log" 2>&1
    verdict $? "$file is a robot"
  fi
done
while read -r name; do
  [ -f "models/$name.yaml" ]
  verdict $? "the built-in robot $name is a file too"
done <"$tmp/builtin"
for file in models/*.urdf models/*.yaml; do
  grep -q "($(basename "$file"))" models/README.md
  verdict $? "$file has its source in models/README.md"
done

echo "$((checks - failures)) passed, $failures failed"
[ "$failures" -eq 0 ]
