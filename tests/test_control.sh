#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell control: runs, logs, replays, stops, and what is refused. APPELL is the path of the command.
# Prints one line per check, ends with 1 if one failed.
set -u
. "$(dirname "$0")/cli/checks.sh"
models=$here/models/control

# number KEY: its value in the JSON of `out`; of a list the largest magnitude.
number() {
  sed -n "s/.*\"$1\": //p" out | tr -d '[]' | awk -F, '
    { for (i = 1; i <= NF; i++) { x = $i + 0; if (x < 0) x = -x; if (x > most) most = x } }
    END { print most + 0 }'
}
read_or_refused() { [ "$rc" -eq 0 ] || { [ "$rc" -eq 2 ] && one_line; }; }
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

gives 0 control "$models/puma_spline.yaml" -o run.csv --json
holds 'the run is complete' grep -q '"stop": "done"' out
holds 'a line for each period' [ "$(($(wc -l <run.csv) - 1))" -eq "$(number periods)" ]
holds 'phases are events' [ "$(cut -d, -f2 run.events.csv | tr '\n' ' ')" = 'event home approach run done safe ' ]
gives 0 control "$models/puma_spline.yaml" --replay run.csv --json
holds 'a replay gives the same bits' [ "$(number differing)" -eq 0 ]
sed '5000s/,[^,]*$/,0/; 6000d' run.csv >cut.csv
gives 1 control "$models/puma_spline.yaml" --replay cut.csv --json
holds 'a replay of another log does not' less 0 "$(number differing)"
for column in encoder.joint2 period status.joint2; do
  at=$(head -n 1 run.csv | tr ',' '\n' | grep -n "^$column\$" | cut -d: -f1)
  head -n 4 run.csv | awk -F, -v OFS=, -v at="$at" 'NR == 3 { $at = "1e19" } { print }' >bad.csv
  refuses 2 "^appell: bad.csv:3: a count, flag or period" control "$models/puma_spline.yaml" --replay bad.csv
done

for kind in ramp line; do
  gives 0 control "$models/puma_$kind.yaml" --quiet
done
gives 0 control "$models/puma_payload.yaml" -o payload.csv --json
holds 'integral action leaves less than a milliradian at rest' less "$(number error_end)" 1e-3

gives 1 control "$models/puma_fault.yaml" -o fault.csv --json
holds 'a fault has its reason' grep -q '"stop": "encoder_jump"' out
holds 'and its joint' grep -q '"stop_joint": "joint3"' out
holds 'and both are in the log' grep -q 'encoder_jump,joint3' fault.events.csv
at=$(head -n 1 fault.csv | tr ',' '\n' | grep -n '^brakes$' | cut -d: -f1)
holds 'the brakes are on at the end' [ "$(tail -n 1 fault.csv | cut -d, -f"$at")" -eq 1 ]
holds 'and the stop has its category' grep -q '"category": 0' out
holds 'and how far the arm went until the brakes closed' less 0 "$(number coast_way)"

# Whatever stopped a run, its log gives it again to the bit, from CSV and from HDF5 alike.
endings=csv
if "$APPELL" control "$models/puma_fault.yaml" --quiet -o first.h5 2>/dev/null || [ -e first.h5 ]; then endings='csv h5'; fi
for kind in encoder_jump encoder_stuck potentiometer not_a_number thermo late read push amplifier output \
  encoder_polarity encoder_drift encoder_loss encoder_noise frozen potentiometer_drift stall write collision payload; do
  case $kind in
  late | stall) amount=0.01 ;; potentiometer) amount=0.5 ;; push) amount=500 ;; amplifier) amount=-3 ;; output) amount=10 ;;
  encoder_drift) amount=30000 ;; encoder_loss) amount=0.9 ;; potentiometer_drift) amount=3 ;; collision) amount=1e5 ;;
  payload) amount=20 ;; *) amount=300 ;;
  esac
  sed "s/^fault: .*/fault: {kind: $kind, joint: joint3, at: 1, amount: $amount}/" "$models/puma_fault.yaml" >kind.yaml
  for ending in $endings; do
    gives 1 control kind.yaml -o kind.$ending --json
    said=$(grep '"stop' out)
    gives 0 control kind.yaml --replay kind.$ending -o again.$ending --json
    holds "the same stop again, $kind" [ "$said" = "$(grep '"stop' out)" ]
  done
  holds "and the same log, $kind" cmp kind.csv again.csv
done
refuses 2 'kind.yaml:1: ' control kind.yaml --replay kind.yaml
head -n 1 kind.csv >empty.csv
refuses 2 'it has no rows' control kind.yaml --replay empty.csv
gives 0 control "$models/puma_ramp.yaml" --run-only -o part.csv --quiet
refuses 2 'part.csv:2: the log does not begin' control "$models/puma_ramp.yaml" --replay part.csv
at=$(head -n 1 kind.csv | tr ',' '\n' | grep -n '^failed$' | cut -d: -f1)
awk -F, -v OFS=, -v at="$at" 'NR == 700 { $at = 7 } { print }' kind.csv >bad.csv
refuses 2 'bad.csv:700: a count, flag or period' control kind.yaml --replay bad.csv
sed '700s/^[^,]*,/x,/' kind.csv >bad.csv
refuses 2 'bad.csv:700: "x" is not a number' control kind.yaml --replay bad.csv

# A reference that arrives while the robot moves, on standard input.
cat >stream.yaml <<EOF
appell-control: 1
robot: $here/models/control/ur10_arm.yaml
reference: {kind: stream}
...
EOF
joints='shoulder_pan shoulder_lift elbow wrist_1 wrist_2 wrist_3'
points() { # points STEP LAST: set points of half a radian in a second, and what follows
  awk -v joints="$joints" -v step="$1" -v last="$2" 'BEGIN {
    n = split(joints, name, " "); printf "t"
    for (j = 1; j <= n; j++) printf ",q.%s", name[j]
    print ""
    for (t = 0; t <= last + 1e-9; t += step) {
      s = t < 1 ? t : 1; x = 0.5 * s * s * s * (10 - 15 * s + 6 * s * s); printf "%.17g", 5 + t
      for (j = 1; j <= n; j++) printf ",%.17g", x
      print "" } }'
}
points 0.02 1 >points.csv
"$APPELL" control stream.yaml --reference - -o stream.csv --json <points.csv >out 2>err
rc=$?
holds 'a streamed reference is followed' [ "$rc" -eq 0 ]
holds 'to a milliradian' less "$(number error_most)" 2e-3
gives 0 control stream.yaml --replay stream.csv -o again.csv --json
holds 'its replay gives the same bits' [ "$(number differing)" -eq 0 ]
holds 'and the same log' cmp stream.csv again.csv
refuses 2 'is a stream' control stream.yaml
{ points 0.02 0.5 && echo '5.52,0,0'; } >short.csv
"$APPELL" control stream.yaml --reference - -o short.log.csv --json <short.csv >out 2>err
rc=$?
holds 'a wrong line ends the run' [ "$rc" -eq 1 ]
holds 'the arm is brought to rest under control' grep -q '"category": 1' out
holds 'as a reference that does not arrive' grep -q '"stop": "reference"' out
holds 'its log is complete' grep -q ',safe,' short.log.events.csv
holds 'and is named' grep -q 'standard input:28: column 3 is not a number' err
for number in 0x0p0 nan 1e999 0,5 ''; do
  sed "2s/^[^,]*,[^,]*/5,$number/" points.csv >odd.csv
  timeout 60 "$APPELL" control stream.yaml --reference - <odd.csv >out 2>err
  holds "numbers are those of files: '$number'" grep -q 'standard input:2: column . is not a number' err
done
for lines in 0 1; do
  head -n $lines points.csv | timeout 60 "$APPELL" control stream.yaml --reference - -o none.csv --json >out 2>err
  holds "an input of $lines lines is not waited for" grep -q '"stop": "reference"' out
  holds 'and named' grep -q 'standard input: it has no set points' err
  gives 0 control stream.yaml --replay none.csv --json
  holds 'its replay gives the same' [ "$(number differing)" -eq 0 ]
done
awk -F, -v OFS=, 'NR == 12 { $2 = 0.9 } { print }' points.csv >jump.csv
"$APPELL" control stream.yaml --reference - -o jump.log.csv --json <jump.csv >out 2>err
holds 'a jump of the reference stops' grep -q '"stop": "reference"' out
holds 'by the name of the stream' grep -q 'the stream asks joint shoulder_pan for .* rad/s, its limit is 2.1 rad/s' err
gives 0 control stream.yaml --replay jump.log.csv --json
holds 'in a replay, too' [ "$(number differing)" -eq 0 ]

# Tests wait for what a run has written, never for a time.
# grown FILE BYTES: wait until the run writes so much of it; false where the run ends before that.
grown() {
  while [ "$(cat "$1" 2>/dev/null | wc -c)" -lt "$2" ]; do
    kill -0 "$run" 2>/dev/null || return 1
    sleep 0.05
  done
}

# By the clock: ended by a signal the arm is braked; killed, the part is readable.
# A machine that stalls stops nothing here, whatever the arm does meanwhile.
sed 's/rate: 10000/rate: 500/; s/duration: 60/duration: 100000/; s/deadline: count/deadline: count, following: 1000, jump: 1e6, stuck: 1000, mismatch: 1000, stale: 1000, residual: 1e6, lower: -1e6, upper: 1e6, velocity: 1e6/' "$models/puma_clock.yaml" >clock.yaml
"$APPELL" control clock.yaml -o clock.csv >out 2>err &
run=$!
holds 'a run by the clock writes while it runs' grown clock.csv.part 200000
kill -TERM $run
wait $run
rc=$?
holds 'a signal brakes and ends with status 1' [ "$rc" -eq 1 ]
holds 'and its log is complete' grep -q ',request,' clock.events.csv
"$APPELL" control clock.yaml -o killed.csv >out 2>err &
run=$!
holds 'and so does another' grown killed.csv.part 200000
kill -9 $run
wait $run 2>/dev/null
holds 'a killed run leaves its part' [ -s killed.csv.part ]
# The kernel may cut the last line: what is before it is whole.
holds 'which is readable' awk -F, 'NR == 1 { n = NF; next } cut { exit bad = 1 } { cut = NF != n }
  END { exit bad || NR < 100 }' killed.csv.part
holds 'and no complete log' [ ! -e killed.csv ]

# Killed at any moment: what is there reads back, and gives the same outputs again. The moments are
# bytes of the log. Before rows are in it for sure, it is read or refused in one line; HDF5 keeps a
# megabyte of rows before it writes them, and asks for more room than they take.
sed "s|\.\./puma|$here/models/puma|; s/duration: 4/duration: 100000/" "$models/puma_ramp.yaml" >long.yaml
for moment in 0 1 200000 3000000 4000000 6000000; do
  for ending in $endings; do
    rm -f killed.*
    "$APPELL" control long.yaml -o killed.$ending >out 2>err &
    run=$!
    grown killed.$ending.part $moment
    kill -9 $run
    wait $run 2>/dev/null
    holds "no complete log after $moment bytes, $ending" [ ! -e killed.$ending ]
    [ -e killed.$ending.part ] || continue
    "$APPELL" control long.yaml --replay killed.$ending.part --quiet >out 2>err
    rc=$?
    case $moment$ending in
    0* | 1* | 200000h5) holds "a log killed after $moment bytes is read or refused, $ending" read_or_refused ;;
    *) holds "a log killed after $moment bytes is replayed, $ending" [ $rc -eq 0 ] ;;
    esac
  done
done

sed 's/at: 1, /at: 9, /' "$models/puma_fault.yaml" >late.yaml
"$APPELL" control late.yaml --quiet >out 2>err
holds 'a fault behind the end is told' grep -q 'warning: the fault at 9 s did not happen: the run was over at' err

# A log that cannot be written is reported at once; the run goes on, or stops where it needs its log.
(ulimit -f 200 && "$APPELL" control "$models/puma_fault.yaml" -o full.csv >out 2>err)
holds 'a full disk is reported' grep -q 'goes on without a log' err
holds 'and does not stop the run' grep -q 'an encoder jumps' out
sed 's/^home: /guards: {log: stop}\nhome: /' "$models/puma_fault.yaml" >needs.yaml
(ulimit -f 200 && "$APPELL" control needs.yaml -o full.csv >out 2>err)
holds 'a run that needs its log is stopped' grep -q 'a stop was asked for' out

# Two runs to one log: the second is refused, the first goes on.
"$APPELL" control long.yaml -o both.csv --quiet >out 2>err &
run=$!
grown both.csv.part 1
refuses 1 'both.csv' control "$models/puma_ramp.yaml" -o both.csv
kill -TERM $run
wait $run
holds 'the first of two runs completes its log' [ -s both.csv ]

# What identification is worth.
holds 'identified parameters track five times better' "$here/scripts/tracking" "$APPELL" 7

refuses 2 '' control nothing.yaml
refuses 2 'ends in .csv or .h5' control "$models/puma_ramp.yaml" -o run.txt
sed "s|\.\./puma|$here/models/puma|" "$models/puma_ramp.yaml" >ramp.yaml
sed 's/joint6/joint7/' ramp.yaml >bad.yaml
refuses 2 'did you mean "joint' control bad.yaml
sed 's/kind: ramp/kind: spiral/' ramp.yaml >bad.yaml
refuses 2 'bad.yaml:[0-9]*:.*spiral' control bad.yaml
sed 's/^guards:.*/guards: {upper: 0.1}/' ramp.yaml >bad.yaml
refuses 2 'limit is 0.1' control bad.yaml
refuses 2 "run.events.csv:1: there is no column 'q.joint1'" control "$models/puma_ramp.yaml" --reference run.events.csv

finish
