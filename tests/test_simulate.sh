#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell simulate: logs and summaries, and what is left of a run that does not end well. APPELL is the
# path of the command. Prints one line per check, ends with 1 if one failed.
set -u
. "$(dirname "$0")/cli/checks.sh"

# scenario DURATION STEP: a point that falls on a floor.
scenario() {
  cat <<EOF
appell-scenario: 1
name: fall
robot: point.yaml
walls: [{name: floor, kind: plane, normal: [0, 0, 1], restitution: 0.5}]
contacts: [ball]
start: {height: 1}
duration: $1
output_step: $2
...
EOF
}
cp "$here/models/point.yaml" .
scenario 1 0.1 >fall.yaml
scenario 1e4 1e-3 >long.yaml

# whole COUNT FILE: so many lines behind the names (+N: at least N), all of the same width.
whole() {
  awk -F, -v count="$1" '
    NR == 1 { width = NF; if ($1 != "t") exit bad = 1; next }
    NF != width { exit bad = 1 }
    END { exit bad || (count ~ /^[+]/ ? NR - 1 < count + 0 : NR - 1 != count) }' "$2"
}

# ended_by NUMBER FILE: the run ended by that signal, with a line that names its part.
ended_by() {
  [ "$rc" -eq $((128 + $1)) ] && one_line && grep -q "stopped at .*$2.part" err
}

# interrupted FILE: what signals leave of a long run that is written to FILE.
interrupted() {
  "$APPELL" simulate long.yaml -o "$1" >first.out 2>first.err &
  run=$!
  sleep 2
  refuses 1 "^appell: $1: .*another run is writing" simulate fall.yaml -o "$1"
  kill -9 $run
  wait $run 2>/dev/null
  holds "a killed run leaves $1.part" [ -s "$1.part" ]
  holds 'and no complete log' [ ! -e "$1" ]
  # The kernel may end the last write inside a line; readers leave such a line out.
  sed '$d' "$1.part" >uncut.csv
  [ "$1" = long.h5 ] || holds 'the part is readable' whole +100 uncut.csv
  for signal in 2 15; do
    # A shell without job control ignores SIGINT in its background; env undoes that.
    env --default-signal=INT "$APPELL" simulate long.yaml -o "$1" >out 2>err &
    run=$!
    sleep 1
    kill -$signal $run
    wait $run
    rc=$?
    holds "signal $signal: a line that names $1.part, and the signal's status" ended_by $signal "$1"
  done
  [ "$1" = long.h5 ] || holds 'the log up to then is whole' whole +100 "$1.part"
  gives 0 simulate fall.yaml -o "$1"
  holds 'the next run replaces what was left' [ ! -e "$1.part" ]
}

gives 0 simulate fall.yaml
holds 'without -o a summary' grep -q '^  = balance error' out
holds 'and no file' sh -c '! ls | grep -q "^fall\..*csv"'
gives 0 simulate fall.yaml -o fall.csv
holds 'a line for each output time' whole 11 fall.csv
holds 'columns by name' sh -c 'head -n 1 fall.csv | grep -q "^t,q\.height,v\.height,tau\.height,kinetic,"'
holds 'from start to end' [ "$(sed -n '2s/,.*//p' fall.csv) $(sed -n '$s/,.*//p' fall.csv)" = '0 1' ]
holds 'events have their own file' sh -c 'head -n 1 fall.events.csv | grep -q "^t,event,body/point,impulse,"'
holds 'with the impacts' grep -q '^0\.4515[0-9]*,impact,.*/ball,' fall.events.csv
holds 'and the states before and after them' awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
  $2 == "impact" {
    n++
    e = $at["v_after.height"] / $at["v.height"]
    if ($at["v.height"] >= 0 || e < -0.5 - 1e-15 || e > -0.5 + 1e-15) exit bad = 1
  }
  END { exit bad || n < 2 }' fall.events.csv
holds 'nothing else is left' sh -c '! ls | grep -q part'
cp fall.csv first.csv
cp fall.events.csv first.events.csv
gives 0 simulate fall.yaml -o fall.csv --quiet
holds '--quiet says nothing' [ ! -s out ]
holds 'the same bits again' sh -c 'cmp -s fall.csv first.csv && cmp -s fall.events.csv first.events.csv'
gives 0 simulate --until 0.5 --step 0.25 fall.yaml -o short.csv
holds '--until and --step' whole 3 short.csv
gives 0 simulate fall.yaml --json
holds 'simulate --json is JSON' json
holds 'with the first impact' sh -c 'grep -A 7 "\"impacts\"" out | grep -q "\"t\": 0\.4515"'
gives 0 simulate --quiet fall.yaml --json
holds '--json is printed in any case' json
cp "$here/models/four-bar.yaml" "$here/models/four_bar_at_wall.yaml" .
gives 0 simulate four_bar_at_wall.yaml -o bars.csv
holds 'closures are in the summary' grep -q '^closures hold within .*e-1[0-9] m or rad' out
holds 'and in the log' sh -c 'head -n 1 bars.csv | grep -q ",coordinate\.crank_angle,rate\.crank_angle,closure,drift$"'
gives 0 simulate four_bar_at_wall.yaml --json
holds 'and in JSON' sh -c 'grep -A 2 "\"closures\"" out | grep -q "\"largest_drift\": "'
refuses 2 '^appell: fall.txt: .*\.csv or \.h5' simulate fall.yaml -o fall.txt
refuses 2 '^appell: fall: .*\.csv or \.h5' simulate fall.yaml -o fall
refuses 2 '^appell: none/fall.csv: .*no folder' simulate fall.yaml -o none/fall.csv
{ sed '$d' fall.yaml && echo 'forces: push.csv' && echo ...; } >pushed.yaml
printf 't,height\n0,1\n1,2\n' >push.csv
cp push.csv push.events.csv
cp push.csv kept.csv
refuses 2 '^appell: push.csv: the log would overwrite .*push.csv' simulate pushed.yaml -o push.csv
refuses 2 'would overwrite' simulate pushed.yaml -o ./push.csv
sed 's/push.csv/push.events.csv/' pushed.yaml >events.yaml
refuses 2 '^appell: push.events.csv: the log would overwrite' simulate events.yaml -o push.csv
holds 'forces are still there' cmp -s push.csv kept.csv
gives 0 simulate pushed.yaml -o pushed.csv
refuses 2 '^appell: none.yaml: ' simulate none.yaml
refuses 2 'number above 0' simulate fall.yaml --step 0
refuses 2 'number above 0' simulate fall.yaml --step 1e-3s
refuses 2 'number above 0' simulate fall.yaml --until 0
refuses 2 'too many' simulate fall.yaml --step 1e-300
refuses 2 'missing' simulate
sed 's/duration/durration/' fall.yaml >typo.yaml
refuses 2 '^appell: typo.yaml:[0-9]*: .*duration' simulate typo.yaml -o typo.csv
holds 'and nothing is written' sh -c '! ls | grep -q "^typo.*csv"'
sed 's/type: prismatic/&, limits: {lower: 0.5, upper: 2}/' point.yaml >limited.yaml
sed 's/point.yaml/limited.yaml/; s/height: 1/height: 3/' fall.yaml >beyond.yaml
refuses 2 '^appell: beyond.yaml:6: start: the joint "height" is at 3, beyond its upper limit of 2 (at most 2, or limits: false)$' \
  simulate beyond.yaml
{ sed '$d' beyond.yaml && echo 'limits: false' && echo ...; } >free.yaml
gives 0 simulate free.yaml --until 0.1
{ sed '$d' fall.yaml && echo 'joints: {height: {stop_restitution: 1}}' && echo ...; } >stop.yaml
refuses 2 '^appell: stop.yaml:9: joints: stops of "height", which has no limits (' simulate stop.yaml
{ sed '$d' fall.yaml && echo 'rest: 1e-9' && echo ...; } >rest.yaml
refuses 2 '^appell: rest.yaml:9: unknown key "rest"' simulate rest.yaml
sed 's/height: 1/height: 0/' fall.yaml >rests.yaml
gives 0 simulate rests.yaml -o rests.csv
holds 'an event at the start is logged at its time' grep -q '^0,contact,.*/ball,' rests.events.csv
sed 's/height: 1/height: {q: 0, v: -2}/; s/duration: 1/duration: 0.1/' fall.yaml >hits.yaml
gives 0 simulate hits.yaml
holds 'the energy at the start is that before an impact there' grep -q 'at the start  *2\.000000000$' out
holds 'and the sum is zero' sh -c "grep -q '= balance error .*\(0\.0e+00\|e-1[0-9]\)$' out"
gives 0 simulate "$here/models/shafei2018.yaml" --until 0.4
holds 'the loss of an event with two points stands beside its first' awk '
  $1 == 1 && $4 == "circle" { n++; if (NF != (n == 1 ? 9 : 8)) exit bad = 1 }
  END { exit bad || n != 2 }' out
holds 'the jump of the normal velocity is (1 + e) speed cos angle, with e = 1' awk '
  $4 == "circle" { n++; d = $7 - 2 * $5 * cos($6 * 3.14159265358979 / 180); if (d * d > 1e-8) bad = 1 }
  END { exit bad || n != 2 }' out
holds 'no report is proposed where there is no log' sh -c '! grep -q "appell report" out'
mkdir -p 'two words'
gives 0 simulate hits.yaml -o 'two words/run.csv'
holds 'the summary ends with the command for a report' \
  [ "$(tail -n 1 out)" = "a page of this run: appell report 'two words/run.csv' -o 'two words/run.html'" ]
gives 0 simulate hits.yaml -o run.csv --json
holds 'not in a document' sh -c '! grep -q "appell report" out'
gives 0 simulate hits.yaml -o run.csv --quiet
holds 'not with --quiet' [ ! -s out ]
refuses 2 'puma_spline.yaml:5: this is a control scenario, not a scenario (`appell control`' \
  simulate "$here/models/control/puma_spline.yaml"
refuses 2 'point.yaml:2: this is a robot, not a scenario' simulate point.yaml
refuses 2 'fall.yaml:1: this is a scenario, not a control scenario (`appell simulate`' control fall.yaml
refuses 2 'nowhere.yaml: cannot be read: No such file' simulate nowhere.yaml
sed 's/restitution: 0.5/restitution: 1/' fall.yaml >elastic.yaml
gives 0 simulate elastic.yaml
sed '/balance error/,$d' out >energies
holds 'rounding of energies is shown as zero' sh -c '! grep -q -e "-0\.000000000" -e "e-1[0-9] *$" energies'
{ sed '$d' fall.yaml && echo 'integrator: {method: rk4, step: 1e-9}' && echo ...; } >slow.yaml
"$APPELL" simulate slow.yaml -o slow.csv >out 2>err &
run=$!
sleep 1
kill -15 $run
wait $run
rc=$?
holds 'a run stopped long before its next output says so' ended_by 15 slow.csv
interrupted long.csv
if "$APPELL" simulate fall.yaml -o fall.h5 >out 2>err; then
  interrupted long.h5
else
  refuses 1 'install HDF5' simulate fall.yaml -o fall.h5
fi
(
  ulimit -f 20
  trap '' XFSZ
  exec "$APPELL" simulate fall.yaml --step 1e-4 -o full.csv >out 2>err
)
[ $? -eq 1 ] && one_line && grep -q '^appell: full.csv: cannot write' err && [ ! -e full.csv ]
verdict $? 'full disk: 1, one line: simulate -o'
if [ -c /dev/full ]; then
  "$APPELL" simulate fall.yaml >/dev/full 2>err
  [ $? -eq 1 ] && one_line
  verdict $? 'full disk: 1, one line: simulate'
fi

# ---- links that no contact point is on ------------------------------------------------------------

cat >hopper.xml <<'END'
<mujoco><worldbody><body name="trunk"><freejoint/><geom size="0.1"/>
<body name="leg"><joint name="hip" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02"/>
FOOT</body></body></worldbody></mujoco>
END
cat >hop.yaml <<'END'
appell-scenario: 1
robot: hopper.xml
duration: 0.01
start: {trunk: {position: [0, 0, 1]}}
walls:
  - {kind: plane, centre: [0, 0, 0]}
...
END
cp hopper.xml plain.xml
sed 's/FOOT//' plain.xml >hopper.xml
try simulate hop.yaml -o hop.csv
holds 'a leg without a point' grep -q 'hop.yaml:6: warning: no contact point is on link "leg"' err
sed 's|FOOT|<site name="foot" pos="0 0 -0.3"/>|' plain.xml >hopper.xml
try simulate hop.yaml -o hop.csv
holds 'with one' sh -c '! grep -q "no contact point" err'

finish
