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
for column in encoder.joint2 period thermo; do
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
holds 'the brakes are on at the end' [ "$(tail -n 1 fault.csv | awk -F, '{ print $(NF - 7) }')" -eq 1 ]

# Whatever stopped a run, its log gives it again to the bit, from CSV and from HDF5 alike.
endings=csv
if "$APPELL" control "$models/puma_fault.yaml" --quiet -o first.h5 2>/dev/null || [ -e first.h5 ]; then endings='csv h5'; fi
for kind in encoder_jump encoder_stuck potentiometer not_a_number thermo late read push amplifier; do
  case $kind in
  late) amount=0.01 ;; potentiometer) amount=0.5 ;; push) amount=500 ;; amplifier) amount=-3 ;; *) amount=300 ;;
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
sed '700s/,[0-9]*$/,7/' kind.csv >bad.csv
refuses 2 'bad.csv:700: a count, flag or period' control kind.yaml --replay bad.csv
sed '700s/^[^,]*,/x,/' kind.csv >bad.csv
refuses 2 'bad.csv:700: "x" is not a number' control kind.yaml --replay bad.csv

# By the clock: ended by a signal the arm is braked; killed, the part is readable.
# A machine that stalls stops nothing here.
sed 's/rate: 10000/rate: 500/; s/deadline: count/deadline: count, following: 1000, jump: 1e6, stuck: 1000, mismatch: 1000/' "$models/puma_clock.yaml" >clock.yaml
"$APPELL" control clock.yaml -o clock.csv >out 2>err &
run=$!
tries=0
while [ "$(wc -l 2>/dev/null <clock.csv.part || echo 0)" -lt 200 ] && [ $tries -lt 300 ]; do
  sleep 0.1 && tries=$((tries + 1))
done
kill -TERM $run
wait $run
rc=$?
holds 'a signal brakes and ends with status 1' [ "$rc" -eq 1 ]
holds 'and its log is complete' grep -q ',request,' clock.events.csv
"$APPELL" control clock.yaml -o killed.csv >out 2>err &
run=$!
tries=0
while [ "$(wc -l 2>/dev/null <killed.csv.part || echo 0)" -lt 200 ] && [ $tries -lt 300 ]; do
  sleep 0.1 && tries=$((tries + 1))
done
kill -9 $run
wait $run 2>/dev/null
holds 'a killed run leaves its part' [ -s killed.csv.part ]
holds 'which is readable' awk -F, 'NR == 1 { n = NF; next } NF != n { exit bad = 1 } END { exit bad || NR < 100 }' killed.csv.part
holds 'and no complete log' [ ! -e killed.csv ]

# Killed at any moment: what is there reads back, and gives the same outputs again.
sed "s|\.\./puma|$here/models/puma|; s/duration: 4/duration: 100000/" "$models/puma_ramp.yaml" >long.yaml
for moment in 0.03 0.1 0.25 0.6 1.1 1.7; do
  for ending in $endings; do
    rm -f killed.*
    "$APPELL" control long.yaml -o killed.$ending >out 2>err &
    run=$!
    sleep $moment
    kill -9 $run
    wait $run 2>/dev/null
    holds "no complete log after $moment s, $ending" [ ! -e killed.$ending ]
    # It had not begun where there is nothing, or room that nothing is written to yet.
    [ "$(head -c 1 killed.$ending.part 2>/dev/null | tr -d '\000' | wc -c)" -eq 1 ] || continue
    "$APPELL" control long.yaml --replay killed.$ending.part --quiet >out 2>err
    rc=$?
    # Before the first flush a log has a head and no row, and at the very beginning not even that.
    short='it has no rows'
    [ "$moment" = 0.03 ] && short='it has no rows|not a file that HDF5 can read'
    holds "a log killed after $moment s is replayed, $ending" sh -c "[ $rc -eq 0 ] || grep -qE '$short' err"
  done
done

# Two runs to one log: the second is refused, the first goes on.
"$APPELL" control long.yaml -o both.csv --quiet >out 2>err &
run=$!
tries=0
while [ ! -s both.csv.part ] && [ $tries -lt 100 ]; do sleep 0.1 && tries=$((tries + 1)); done
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
