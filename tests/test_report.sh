#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell report: what it makes of logs, whole and cut off, and what it says where something is missing. APPELL is
# the path of the command. Prints one line per check, ends with 1 if one failed.
set -u
. "$(dirname "$0")/cli/checks.sh"

has() { grep -q -e "$1" "$2"; }

# warned PATTERN ARGUMENTS...: done, with exactly one line, a warning.
warned() {
  pattern=$1
  shift
  try "$@"
  [ "$rc" -eq 0 ] && one_line && grep -q "warning: .*$pattern" err
  verdict $? "a warning with '$pattern': appell $*"
}

# value KEY FILE: what stands behind a key on its line.
value() { sed -n "s/^ *\"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" "$2"; }

"$APPELL" simulate "$here/models/shafei2018.yaml" -o run.csv --quiet || exit 1
holds 'the scenario lies beside the log' has "^# scenario file: $here/models/shafei2018.yaml" run.scenario.yaml

# ---- the document -------------------------------------------------------------------------------

gives 0 report run.csv --data
holds 'it is one JSON document' json
cp out run.json
holds 'the title is the name of the scenario' [ "$(value title run.json)" = '"shafei2018"' ]
events=$(tail -n +2 run.events.csv | cut -d, -f 5 | sort -u | wc -l) # numbers of events
holds 'all rows are there, and two samples for each event' \
  [ "$(value rows run.json)" -eq $(($(wc -l <run.csv) - 1 + 2 * events)) ]
holds 'as many impacts as the run printed' has '"value": "8"' run.json
value time run.json | tr -d '"' | base64 -d | od -An -v -t f8 -w8 | tr -d ' ' >times.txt
{ tail -n +2 run.csv && tail -n +2 run.events.csv | sort -u -t, -k 5,5 | sed p; } | cut -d, -f 1 | sort -g >wanted
holds 'times come back to the last digit' awk 'NR == FNR { t[NR] = $1 + 0; next } t[FNR] != $1 + 0 { exit 1 }
  END { exit FNR != NR / 2 }' times.txt wanted
gives 0 report run.csv --data --title 'another name'
holds 'the title is what was asked for' has '"title": "another name"' out

if "$APPELL" simulate "$here/models/shafei2018.yaml" -o run.h5 --quiet 2>err; then
  gives 0 report run.h5 --data
  sed 's/run\.h5/run.csv/' out >other.json
  for key in time data rows; do
    holds "HDF5 gives the same $key" [ "$(value $key other.json)" = "$(value $key run.json)" ]
  done
fi

# ---- several runs -------------------------------------------------------------------------------

"$APPELL" simulate "$here/models/shafei2018.yaml" --step 0.05 -o coarse.csv --quiet || exit 1
gives 0 report run.csv coarse.csv --data
holds 'two runs are one JSON document' json
holds 'with the second one among the others' has '"made_from": "coarse.csv"' out
holds 'and the first one in front' [ "$(value made_from out | head -n 1)" = '"run.csv"' ]
holds 'each with its rows' [ "$(value rows out | sed -n 2p)" -lt "$(value rows run.json)" ]
gives 0 report run.csv coarse.csv run.csv -o three.html
holds 'a page may have three' [ "$(grep -c '"made_from": "run.csv"' three.html)" -eq 2 ]
printf 't,q\n0,1\n1,oops\n' >second.csv
refuses 2 '^appell: second.csv:3: "oops" is not a number' report run.csv second.csv --data
printf 't,q\n0,1\n2,1\n1,1\n' >second.csv
refuses 2 '^appell: second.csv:4: time goes back' report run.csv second.csv --data
refuses 2 '^appell: second.csv:4: time goes back' report second.csv run.csv --data
refuses 2 'nothing.csv: cannot open' report run.csv nothing.csv --data

# ---- what links look like and where walls are ---------------------------------------------------

cat >arm.urdf <<'END'
<robot name="arm">
  <link name="base"/>
  <link name="seen"><visual><geometry><box size="1 2 3"/></geometry></visual>
    <collision><geometry><sphere radius="7"/></geometry></collision>
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="felt"><visual><geometry><mesh filename="none.stl"/></geometry></visual>
    <collision><geometry><cylinder radius="0.25" length="0.5"/></geometry></collision>
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="one" type="revolute"><parent link="base"/><child link="seen"/><axis xyz="0 0 1"/>
    <limit lower="-1.25" upper="2.5" effort="40" velocity="3"/></joint>
  <joint name="two" type="continuous"><parent link="seen"/><child link="felt"/><axis xyz="0 0 1"/></joint>
</robot>
END
printf 'appell-scenario: 1\nname: arm\nrobot: arm.urdf\nduration: 0.01\n...\n' >arm.yaml
"$APPELL" simulate arm.yaml -o arm.csv --quiet || exit 1
warned 'none.stl' report arm.csv --data
tr -d ' \n' <out >flat
holds 'a visual shape hides the collision shape' sh -c '! grep -q "\"radius\":7" flat'
holds 'a link without one that can be drawn shows it' has '"kind":"cylinder","collision":true,"radius":0.25' flat
holds 'limits of joints are there, as far as there are any' \
  has '"limits":{"lower":-1.25,"upper":2.5,"velocity":3,"effort":40}' flat
holds 'and none where there are none' has '"limits":{}' flat
"$APPELL" simulate "$here/models/lift.yaml" -o lift.csv --quiet || exit 1
gives 0 report lift.csv --data
tr -d ' \n' <out >flat
holds 'a wall that moves has its motion' has '"amplitude":\[0,0,0.5\].*"frequency":0.25.*"from":1,"to":3' flat
holds 'and one that stays has none' [ "$(grep -o '"motion":' run.json | wc -l)" -eq 0 ]

# ---- what is missing ----------------------------------------------------------------------------

mkdir bare && cp run.csv run.events.csv bare
warned 'the log has no scenario' report bare/run.csv --data
holds 'without a scenario there is no model' has '"model": null' out
holds 'but its events are there' has '"event": "impact"' out
holds 'and their states are' [ "$(value rows out)" = "$(value rows run.json)" ]
mkdir old && cp run.csv run.scenario.yaml old
cut -d, -f 1-22,"$(head -n 1 run.events.csv | tr , '\n' | grep -c .)" run.events.csv >old/run.events.csv
holds 'an older log has no states at events' sh -c 'head -n 1 old/run.events.csv | grep -q "angle,lost,wall$"'
gives 0 report old/run.csv --data
holds 'its report has rows alone' [ "$(value rows out)" -eq $(($(wc -l <run.csv) - 1)) ]
holds 'and its events' has '"event": "impact"' out
gives 0 report bare/run.csv --data --scenario "$here/models/shafei2018.yaml"
holds 'with a scenario that is given there is one' has '"name": "shafei-tree"' out
rm bare/run.events.csv
gives 0 report bare/run.csv --data --scenario "$here/models/shafei2018.yaml"
warned 'columns do not match the robot' report bare/run.csv --data --scenario "$here/models/ball.yaml"
sed 's/^robot: .*/robot: nowhere.urdf/' run.scenario.yaml >bare/run.scenario.yaml
warned 'no robot is drawn: line .*nowhere.urdf' report bare/run.csv --data
refuses 2 "$here/models/point.yaml" report run.csv --data --scenario "$here/models/point.yaml"
refuses 2 'nothing.yaml: cannot open' report run.csv --data --scenario nothing.yaml

# ---- a run that did not end well ----------------------------------------------------------------

cp run.csv cut.csv.part && cp run.events.csv cut.events.csv.part && cp run.scenario.yaml cut.scenario.yaml.part
printf '9.5,1,2' >>cut.csv.part
gives 0 report cut.csv.part --data
holds 'its scenario is found' has '"title": "shafei2018"' out
holds 'and it is said that it ended early' has 'before its time' out
holds 'the line that was cut off is no row' [ "$(value rows out)" -eq "$(value rows run.json)" ]

# ---- what is no log -----------------------------------------------------------------------------

refuses 2 'nothing.csv: cannot open' report nothing.csv --data
: >empty.csv
refuses 2 'empty.csv:1: the file is empty' report empty.csv --data
refuses 2 ':1: not the log of a run' report "$here/README.md" --data
printf 't,q\n0,1\n1,oops\n' >bad.csv
refuses 2 'bad.csv:3: "oops" is not a number' report bad.csv --data
cp run.csv odd.csv && printf 't,event,body/point,impulse,wall\n0,impact,a/b,many,w\n' >odd.events.csv
cp run.scenario.yaml odd.scenario.yaml
refuses 2 'odd.events.csv:2: expected a number' report odd.csv --data
head -c 20000 run.csv >cut.csv
cp run.scenario.yaml cut.scenario.yaml
warned 'is truncated' report cut.csv --data
sed '3s/^[^,]*/inf/' run.csv >bad.csv
refuses 2 'bad.csv:3: the time of a row is not finite' report bad.csv --data
ln -s run.csv link.html
refuses 2 "would overwrite 'run.csv', which is read" report run.csv -o link.html
refuses 2 'where does the page go' report run.csv
refuses 2 "run.pdf: 'report' writes no picture (-o FILE.html" report run.csv -o run.pdf
for name in page run.html.txt .html; do
  refuses 2 "'$name' does not end in .html or .htm" report run.csv -o "$name"
  holds 'and nothing is written' [ ! -e "$name" ]
done
refuses 2 'no/page.html' report run.csv -o no/page.html
refuses 2 'rows' report run.csv --data --rows 0
printf 't,q\n0,nan\n1,2\n' >nan.csv
try report nan.csv --data
holds 'a sensor may give no number' [ "$rc" -eq 0 ]
printf 't,q\n' >none.csv
try report none.csv --data
holds 'a log without rows is reported' [ "$rc" -eq 0 ]
holds 'with a word about it' has 'no rows' err

# ---- a hostile name -----------------------------------------------------------------------------

sed 's/^name: .*/name: "<\/script><script>alert(1)<\/script>"/' "$here/models/ball.yaml" >evil.yaml
cp "$here/models/point.yaml" .
"$APPELL" simulate evil.yaml -o evil.csv --until 0.1 --quiet || exit 1

# ---- the page -----------------------------------------------------------------------------------

try report evil.csv -o evil.html
holds 'the page is made in silence' [ "$rc" -eq 0 ] && [ ! -s err ]
holds 'no name ends its script' sh -c '! grep -q "<script>alert" evil.html'
holds 'its document is in it' has '"title": "\\u003c/script>\\u003cscript>alert' evil.html
holds 'with the licences of what is in it' has 'three.js authors' evil.html
refuses 2 'bad.csv:3' report bad.csv -o evil.html
holds 'an error leaves the older page' has 'alert' evil.html
finish
