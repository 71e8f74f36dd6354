#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The equations of the code and those of the pages are the same. In both a tag in square brackets,
# [Mata 12], [Provenzano 10, 11, 13], [Mata 14-16] or [newton-euler 3], stands for equations that the
# code carries. Checked both ways:
#   - a tag of the sources has its equation on its page: a line that starts with the tag in bold,
#     **[Mata 12]**, above a display equation. Tags of papers (the capital ones, listed in
#     docs/notation.md) live in docs/theory.md, those of a method in docs/methods/NAME.md, those of
#     a solver in docs/methods/solvers.md;
#   - a tag of a page is in the sources. Steps of a derivation that no statement computes are
#     written (Mata 13), in round brackets;
#   - docs/theory.md has every numbered equation of the papers, in the one form or the other;
#   - every method has a page (where APPELL is the path of the command), and every page is in the
#     index.
# Runs in the folder of the sources; with arguments SRC DOCS it looks there instead.
set -u
LC_ALL=C
export LC_ALL
src=${1:-src}
docs=${2:-docs}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
failures=0

# report WHAT FILE: FILE lists what is wrong, one line each.
report() {
  if [ -s "$2" ]; then
    failures=$((failures + 1))
    echo "not ok - $1"
    sed 's/^/#   /' "$2"
  else
    echo "ok - $1"
  fi
}

# tags_of OPEN CLOSE: reads "PLACE<tab>TEXT" and writes a line "NAME NUMBER PLACE" for each equation
# of each tag between OPEN and CLOSE. Lists and ranges are written out: [Mata 7a-7e, 9, Valera 10].
# Other brackets (an index, an interval, a link, a matrix [T 0]) give nothing; a list that starts
# like one of tags and is none goes to $tmp/bad.
tags_of() {
  awk -F '\t' -v open="$1" -v close_="$2" -v bad="$tmp/bad" '
    # One item of a list, "12", "14-16", "7a" or "7a-7e", under the name that stands before it.
    function item(text, place,    end, letters, from, to, number) {
      if (match(text, /^[A-Za-z][A-Za-z0-9-]+ /)) {
        name = substr(text, 1, RLENGTH - 1)
        text = substr(text, RLENGTH + 1)
      }
      if (name == "" || text !~ /^[0-9]+[a-z]?(-[0-9]+[a-z]?)?$/) return 0
      end = index(text, "-")
      from = end ? substr(text, 1, end - 1) : text
      to = end ? substr(text, end + 1) : text
      if (from ~ /[a-z]$/ && from + 0 == to + 0) {
        letters = "abcdefghijklmnopqrstuvwxyz"
        number = from + 0
        from = index(letters, substr(from, length(from)))
        to = index(letters, substr(to, length(to)))
        for (; from <= to; from++) found[++n] = name " " number substr(letters, from, 1) " " place
      } else if (from == to) {
        found[++n] = name " " from " " place
      } else {
        for (number = from + 0; number <= to + 0; number++) found[++n] = name " " number " " place
      }
      return 1
    }
    {
      rest = $2
      while ((start = index(rest, open)) > 0) {
        rest = substr(rest, start + 1)
        stop = index(rest, close_)
        if (!stop) break
        list = substr(rest, 1, stop - 1)
        if (list ~ /^[A-Za-z][A-Za-z0-9-]+ [0-9][0-9a-zA-Z, -]*$/ && substr(rest, stop + 1, 1) != "(") {
          gsub(/ +/, " ", list)
          count = split(list, items, /, */)
          name = ""
          n = 0
          good = 1
          for (k = 1; k <= count; k++) good = item(items[k], $1) && good
          for (k = 1; good && k <= n; k++) print found[k]
          if (!good) print $1 ": not a list of equations: " open list close_ >>bad
        }
      }
    }'
}

# Every file of C as one line "FILE<tab>TEXT" without the marks of comments, so that a tag may be
# broken at the end of a line.
sources() {
  find "$src" \( -name '*.inc' -o -name '*.h' -o -name '*.c' \) -type f | sort | while read -r file; do
    sed 's/^[[:space:]]*\/\/*[[:space:]]*//; s/	/ /g' "$file" | tr '\n' ' ' | sed "s|^|$file	|"
    echo
  done
}

# Every page as one line, without code blocks.
pages() {
  for file in "$docs"/theory.md "$docs"/notation.md "$docs"/methods/*.md; do
    awk '/^```/ { code = !code; next } !code' "$file" | tr '\t\n' '  ' | sed "s|^|$file	|"
    echo
  done
}

# Lines of pages that name the equation below them, "FILE:LINE<tab>LINE"; those without a display
# equation within the next two lines go to $tmp/bare.
definitions() {
  for file in "$docs"/theory.md "$docs"/methods/*.md; do
    awk -v bare="$tmp/bare" '
      function missing() { print at ": no display equation below " line >>bare }
      /^\*\*[[(][A-Za-z][A-Za-z0-9-]+ [0-9]/ {
        if (line != "") missing()
        line = $0
        at = FILENAME ":" FNR
        age = 0
        print at "\t" $0
        next
      }
      line != "" {
        if (substr($0, 1, 2) == "$$") line = ""
        else if (++age > 1 || $0 != "") { missing(); line = "" }
      }
      END { if (line != "") missing() }' "$file"
  done
}

touch "$tmp/bare" "$tmp/bad"
sources | tags_of '[' ']' | sort -u >"$tmp/src"
pages | tags_of '[' ']' | sort -u >"$tmp/docs"
definitions >"$tmp/lines"
tags_of '[' ']' <"$tmp/lines" >"$tmp/carried"
tags_of '(' ')' <"$tmp/lines" >"$tmp/derived"
report 'equations stand below their tags' "$tmp/bare"
report 'tags can be read' "$tmp/bad"

[ -s "$tmp/src" ] || echo "no tags at all in $src" >"$tmp/none"
[ -s "$tmp/carried" ] || echo "no tags at all in $docs" >>"$tmp/none"
touch "$tmp/none"
report 'there are equations to compare' "$tmp/none"

# ---- code to pages ------------------------------------------------------------------------------

# The papers, from the table of the notation.
sed -n 's/^| \([A-Z][a-z]*\) | .*([0-9]\{4\}).*/\1/p' "$docs/notation.md" | sort -u >"$tmp/papers"

home_of() {
  if grep -qx "$1" "$tmp/papers"; then
    echo "$docs/theory.md"
  elif [ -f "$docs/methods/$1.md" ]; then
    echo "$docs/methods/$1.md"
  else
    case $1 in
      cholesky | gauss-jordan | ltdl) echo "$docs/methods/solvers.md" ;;
      *) echo none ;;
    esac
  fi
}

while read -r name number place; do
  home=$(home_of "$name")
  if [ "$home" = none ]; then
    echo "$place: [$name $number]: no paper in $docs/notation.md and no page $docs/methods/$name.md"
  elif ! grep -q "^$name $number $home:" "$tmp/carried"; then
    echo "$place: [$name $number]: $home has no equation under **[$name $number]**"
  fi
done <"$tmp/src" >"$tmp/log"
report 'every equation of the code is on its page' "$tmp/log"

# ---- pages to code ------------------------------------------------------------------------------

while read -r name number place; do
  grep -q "^$name $number $src" "$tmp/src" ||
    echo "$place: [$name $number]: not in $src (write ($name $number) if it is a step of the derivation)"
done <"$tmp/docs" >"$tmp/log"
report 'every equation that the pages mark is in the code' "$tmp/log"

# An equation is stated once, and where it belongs.
sort "$tmp/carried" "$tmp/derived" | awk '
  { key = $1 " " $2 }
  key == last { print $3 ": " key " is stated there and at " place }
  { last = key; place = $3 }' >"$tmp/log"
while read -r name number place; do
  case $place in
    "$(home_of "$name")":*) ;;
    *) echo "$place: the equation $name $number belongs on $(home_of "$name")" ;;
  esac
done <"$tmp/carried" >>"$tmp/log"
report 'every equation is stated once' "$tmp/log"

# ---- the papers in full -------------------------------------------------------------------------

cat "$tmp/carried" "$tmp/derived" | awk -v page="$docs/theory.md" '
  { have[$1 " " $2] = 1 }
  function need(key) { if (!(key in have)) print page ": " key " is missing" }
  END {
    for (k = 1; k <= 22; k++) if (k != 7) need("Mata " k)
    for (k = 1; k <= 5; k++) need("Mata 7" substr("abcde", k, 1))
    for (k = 1; k <= 20; k++) need("Provenzano " k)
    for (k = 1; k <= 26; k++) need("Valera " k)
    for (k = 1; k <= 47; k++) need("Shafei " k)
    for (k = 1; k <= 52; k++) need("Abedloo " k)
  }' >"$tmp/log"
report 'every numbered equation of the papers is on the page' "$tmp/log"

# Numbers of a method's own page run from 1 without gaps.
awk '$1 !~ /^[A-Z]/ { if ($2 > most[$1]) most[$1] = $2; have[$1 " " $2] = 1 }
  END {
    for (name in most)
      for (k = 1; k < most[name]; k++)
        if (!((name " " k) in have)) print name " " k " is missing before " name " " most[name]
  }' "$tmp/carried" "$tmp/derived" | sort >"$tmp/log"
report 'the equations of a page are numbered from 1 without gaps' "$tmp/log"

# ---- pages and methods --------------------------------------------------------------------------

# A method for inverse dynamics, inertia matrix or forward dynamics is described on the page of its
# name, less the solver that a forward method names at its end. (gibbs chooses between two others.)
if [ -n "${APPELL:-}" ]; then
  "$APPELL" methods | awk '$1 == "inverse" || $1 == "inertia" || $1 == "forward" { print $2 }' | sort -u >"$tmp/names"
  : >"$tmp/log"
  [ -s "$tmp/names" ] || echo "$APPELL methods lists none" >"$tmp/log"
  while read -r name; do
    case $name in
      gibbs | gibbs-cholesky | gibbs-gauss-jordan | gibbs-ltdl) page=solvers ;;
      *-cholesky) page=${name%-cholesky} ;;
      *-gauss-jordan) page=${name%-gauss-jordan} ;;
      *-ltdl) page=${name%-ltdl} ;;
      *) page=$name ;;
    esac
    [ -f "$docs/methods/$page.md" ] || echo "method $name: no page $docs/methods/$page.md"
  done <"$tmp/names" >>"$tmp/log"
  report 'every method has a page' "$tmp/log"
fi
for page in "$docs"/methods/*.md; do
  page=${page##*/}
  [ "$page" = README.md ] || grep -q "]($page)" "$docs/methods/README.md" || echo "$docs/methods/README.md: no link to $page"
done >"$tmp/log"
report 'every page is in the index' "$tmp/log"

echo "$(wc -l <"$tmp/src" | tr -d ' ') citations in the code, $(wc -l <"$tmp/carried" | tr -d ' ') equations on the pages, $failures checks failed"
[ "$failures" -eq 0 ]
