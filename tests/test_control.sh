#!/bin/sh
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

for kind in ramp line; do
  gives 0 control "$models/puma_$kind.yaml" --quiet
done
gives 0 control "$models/puma_payload.yaml" -o payload.csv --json
holds 'integral action leaves less than a milliradian at rest' less "$(number error_end)" 1e-3

gives 1 control "$models/puma_fault.yaml" -o fault.csv --json
holds 'a fault has its reason' grep -q '"stop": "encoder_jump"' out
holds 'and its joint' grep -q '"stop_joint": "joint3"' out
holds 'and both are in the log' grep -q 'encoder_jump,joint3' fault.events.csv
holds 'the brakes are on at the end' [ "$(tail -n 1 fault.csv | awk -F, '{ print $(NF - 6) }')" -eq 1 ]

# By the clock: ended by a signal the arm is braked; killed, the part is readable.
# A machine that stalls stops nothing here.
sed 's/rate: 10000/rate: 500/; s/deadline: count/deadline: count, following: 1000, jump: 1e6, stuck: 1000, mismatch: 1000/' "$models/puma_clock.yaml" >clock.yaml
"$APPELL" control clock.yaml -o clock.csv >out 2>err &
run=$!
sleep 2
kill -TERM $run
wait $run
rc=$?
holds 'a signal brakes and ends with status 1' [ "$rc" -eq 1 ]
holds 'and its log is complete' grep -q ',request,' clock.events.csv
"$APPELL" control clock.yaml -o killed.csv >out 2>err &
run=$!
sleep 2
kill -9 $run
wait $run 2>/dev/null
holds 'a killed run leaves its part' [ -s killed.csv.part ]
holds 'which is readable' awk -F, 'NR == 1 { n = NF; next } NF != n { exit bad = 1 } END { exit bad || NR < 100 }' killed.csv.part
holds 'and no complete log' [ ! -e killed.csv ]

refuses 2 '' control nothing.yaml
refuses 2 'ends in .csv or .h5' control "$models/puma_ramp.yaml" -o run.txt
sed 's/joint6/joint7/' "$models/puma_ramp.yaml" >bad.yaml
refuses 2 'did you mean "joint' control bad.yaml
sed 's/kind: ramp/kind: spiral/' "$models/puma_ramp.yaml" >bad.yaml
refuses 2 'bad.yaml:[0-9]*:.*spiral' control bad.yaml
sed 's/^guards:.*/guards: {upper: 0.1}/' "$models/puma_ramp.yaml" >bad.yaml
refuses 2 'limit is 0.1' control bad.yaml
refuses 2 'column is missing' control "$models/puma_ramp.yaml" --reference run.events.csv

finish
