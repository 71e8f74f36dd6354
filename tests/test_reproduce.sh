#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell reproduce: tables beside those of the papers, JSON and figures. APPELL is the path of the command. Prints one
# line per check, ends with 1 if one failed.
set -u
. "$(dirname "$0")/cli/checks.sh"

echo 1 >q1.txt

for paper in mata2002 provenzano2002 valera2003 shafei2018 abedloo2014; do
  gives 0 reproduce $paper
  cp out $paper.out
  holds "$paper begins with its title" sh -c "head -n 1 out | grep -q '^$paper: .'"
  holds "$paper has a table" grep -q '^  quantity .* printed  *ours  *difference' out
  gives 0 reproduce $paper --json
  cp out $paper.json
  holds "$paper as JSON" json
  rows=$(grep -c '^  {' out)
  holds "$paper has numbers, all keys for each" sh -c \
    "[ $rows -gt 0 ] && for key in paper item quantity unit printed ours note; do
       [ \$(grep -c \"^    \\\"\$key\\\": \" out) -eq $rows ] || exit 1; done"
  holds "$paper has printed numbers and nothing without a result" sh -c \
    'grep -q "\"printed\": [-0-9]" out && ! grep -q "\"ours\": null" out'
done
holds 'a difference is a percent, or a factor where it is large' sh -c \
  "grep -q ' [-+][0-9.]* %  \[' mata2002.out && grep -q '  x 2[0-9]  \[' mata2002.out && grep -q ' +0.024 %  \[' valera2003.out"
holds 'times and their ratios have two digits' awk '/^  processing time/ {
    x = $(NF - 1); sub(/e.*/, "", x); gsub(/[.]/, "", x); gsub(/^0*|0*$/, "", x)
    rows++; if (length(x) > 2) bad = 1 }
  END { exit bad || rows == 0 }' mata2002.out
gives 0 reproduce mata2002 --all
holds '--all shows no less' [ "$(wc -l <out)" -ge "$(wc -l <mata2002.out)" ]
holds '--all leaves nothing to be shown' sh -c '! grep -q "more with --all" out'
gives 0 reproduce --json
holds 'without a paper the document has all of them' json
grep '"\(paper\|item\|quantity\)"' out >all.json
cat mata2002.json provenzano2002.json valera2003.json shafei2018.json abedloo2014.json | grep '"\(paper\|item\|quantity\)"' >each.json
holds 'one after the other, with the same numbers' cmp -s all.json each.json
gives 0 reproduce valera2003 provenzano2002
holds 'several papers in the order given' [ "$(sed -n 's/^\([a-z]*[0-9]*\): .*/\1/p' out | tr '\n' ' ')" = \
  'valera2003 provenzano2002 ' ]
gives 0 reproduce mata2002 --plots figures
holds '--plots makes the folder' [ -d figures ]
holds 'says which files it wrote' sh -c \
  '[ "$(sed -n "s,^  wrote figures/,,p" out)" = "$(ls figures)" ] && [ -n "$(ls figures)" ]'
holds 'they are SVG' sh -c 'for file in figures/*; do grep -q "<svg" "$file" || exit 1; done'
cp -r figures before
gives 0 reproduce mata2002 --plots figures --json
holds 'they are the same again' diff -r figures before
holds 'and no part of the document' json
"$APPELL" reproduce mata2002 --plots figures >first.out 2>err &
first=$!
"$APPELL" reproduce mata2002 --plots figures >second.out 2>err &
second=$!
wait $first && wait $second && diff -r figures before >/dev/null
verdict $? 'two runs at once write the same figures, whole'
mkdir -p blocked/mata2002-fig2.svg
refuses 1 '^appell: mata2002: .*mata2002-fig2.svg' reproduce mata2002 --plots blocked
holds 'an experiment that fails: what came before it is shown' grep -q '^Table 1: ' out
refuses 1 '^appell: mata2002: .*mata2002-fig2.svg' reproduce mata2002 provenzano2002 --plots blocked --json
holds 'the document is whole' json
holds 'and has the papers after it' grep -q '"paper": "provenzano2002"' out
refuses 2 "did you mean 'mata2002'.*provenzano2002" reproduce mata2022
refuses 2 "unknown paper 'newton1687'.*mata2002" reproduce newton1687
refuses 2 'unknown paper' reproduce mata2002 newton1687 --plots none
holds 'nothing is made for an unknown paper' [ ! -e none ]
refuses 2 '^appell: q1.txt: is not a folder' reproduce mata2002 --plots q1.txt
refuses 2 "^appell: none/figures: cannot be made: there is no folder 'none'" \
  reproduce mata2002 --plots none/figures
refuses 2 "^appell: none/a//b/: cannot be made: there is no folder 'none/a'" \
  reproduce mata2002 --plots none/a//b/
mkdir locked
chmod 500 locked
if [ ! -w locked ]; then
  refuses 2 '^appell: locked: cannot be used' reproduce mata2002 --plots locked
  holds 'and that is known before the paper is run' [ ! -s out ]
fi
mkdir limited
(ulimit -f 1 && "$APPELL" reproduce mata2002 --plots limited >/dev/null 2>err)
[ $? -eq 1 ] && one_line && nothing_left limited
verdict $? 'a file too large: 1, one line, nothing is left behind'
refuses 2 "paper 'mata2002' is given twice" reproduce mata2002 valera2003 mata2002
refuses 2 'needs a value' reproduce --plots
if [ -c /dev/full ]; then
  "$APPELL" reproduce provenzano2002 >/dev/full 2>err
  [ $? -eq 1 ] && one_line
  verdict $? 'full disk: 1, one line: reproduce'
fi

# ---- other parameters than the paper's ----------------------------------------------------------

# objects FILE: one object of a document to a line.
objects() { tr '\n' ' ' <"$1" | sed 's/  */ /g; s/ *} */}/g; s/}/}\n/g' | sed 's/^ *, *//'; }

gives 0 reproduce --parameters
holds 'every paper has parameters' [ "$(sed 1d out | awk '{ print $1 }' | sort -u | wc -l)" -eq 5 ]
gives 0 reproduce shafei2018 --parameters --json
holds 'they are a document, too' json
gives 0 reproduce shafei2018 --json
cp out paper.json
gives 0 reproduce shafei2018 --set gravity=9.81 --set restitution=1 --json
# times of the processor apart
for file in paper.json out; do objects "$file" | grep -v '"processor time"' >"$file.bare"; done
holds "with the paper's own values nothing changes" cmp -s paper.json.bare out.bare
gives 0 reproduce shafei2018 --set restitution=0.8 --json
objects out >set.rows
holds 'what depends on a parameter stands without the printed number, and a note says why' \
  grep -q '"item": "Table 3, impact 2", "quantity": "t", "unit": "s", "printed": null, .*"note": "with restitution = 0.8"' set.rows
holds 'what does not stays beside it' grep -q '"item": "Table 1", .*"printed": 44512,' set.rows
# The same motion by another way: the scenario with that restitution.
sed 's/restitution: 1/restitution: 0.8/' "$here/models/shafei2018.yaml" >bounce.yaml
gives 0 simulate bounce.yaml --json
objects out | sed -n 's/.*"number": \([1-5]\), "t": \([0-9.]*\).*/\1 \2/p' | sort -u >scenario.times # both points of a pair
sed -n 's/.*"Table 3, impact \([1-5]\)", "quantity": "t",.*"ours": \([0-9.]*\).*/\1 \2/p' set.rows >set.times
holds 'impacts are at the times of a scenario with that value' sh -c '
  [ "$(wc -l <set.times)" -eq 5 ] && paste scenario.times set.times |
  awk "{ d = \$2 - \$4; if (d * d > 1e-16 || \$1 != \$3) bad = 1 } END { exit bad || NR != 5 }"'
gives 0 reproduce valera2003 --set duration=5
holds 'a line in another time has another speed' grep -q '^  speed .*with duration = 5\|^  speed  *m/s  *0\.17' out
gives 0 reproduce abedloo2014 --set amplitude=1.2
holds 'the trajectory is what was asked for' grep -q 'Amplitudes of 12, 36 and 24 deg' out
refuses 2 "did you mean 'restitution'" reproduce shafei2018 --set restitutoin=1
refuses 2 '0 to 1' reproduce shafei2018 --set restitution=1.5
refuses 2 'is not a number' reproduce shafei2018 --set restitution=nan
refuses 2 'is not a whole number' reproduce shafei2018 --set links=2.5
refuses 2 'has no value (NAME=VALUE' reproduce shafei2018 --set restitution
refuses 2 'for one paper' reproduce --set restitution=1
refuses 2 'one is possible' reproduce shafei2018 --set restitution=1 --parameters

# Every difference of more than 5 % from a printed number has a note.
gives 0 reproduce --json
objects out | grep '"printed": [-0-9]' >printed
holds 'there are printed numbers' [ "$(wc -l <printed)" -gt 300 ]
awk -F'"printed": |, "ours": |, "note": ' '
  { d = $3 - $2; if (d < 0) d = -d; p = $2 < 0 ? -$2 : $2; if (d > (p > 0 ? 0.05 * p : 0.005) && $4 ~ /^""/) { print; bad = 1 } }
  END { exit bad }' printed >differ
verdict $? 'every difference beyond 5 % has a note'
sed "s/^/# /" differ | head -n 5

finish
