#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The verb plan: the file it writes, its summary, options, bad input. APPELL is the path of the command.
set -u
. "$(dirname "$0")/cli/checks.sh"
arm=$here/models/arm7.yaml
cat >points.csv <<'END'
# q of seven axes
0, 0.3, 0, 1.2, 0, 1, 0
0.8, 0.6, -0.3, 1.6, 0.2, 1.4, 0.5
1.5, 0.1, 0.2, 0.9, -0.2, 1.1, 0
END

# field NAME: a number of the JSON document in out.
field() { sed -n "s/.*\"$1\": *\([-0-9.e+]*\).*/\1/p" out; }
# slower TIME: the motion found last takes longer than TIME.
slower() { awk -v a="$(field duration)" -v b="$1" 'BEGIN { exit !(a > b) }'; }

gives 0 plan "$arm" points.csv -o motion.csv --json
first=$(field duration)
holds 'some limit is met nearly everywhere' awk -v x="$(field active)" 'BEGIN { exit !(x > 0.95) }'
holds 'no limit is exceeded by more than the tolerance' awk -v x="$(field excess)" 'BEGIN { exit !(x >= 0 && x <= 1e-3) }'
holds 'the columns have names' sh -c 'head -n 1 motion.csv | grep -q "^t,q.axis1,.*,v.axis7,a.axis1,.*,tau.axis7$"'
holds 'it begins at the first point' sh -c 'sed -n 2p motion.csv | grep -q "^0,0,0.29999999999999999,0,"'
# largest COLUMN: of that column of the motion
largest() { awk -F, -v k="$1" 'NR > 1 { x = $k < 0 ? -$k : $k; if (x > m) m = x } END { printf "%.6f\n", m }' motion.csv; }
holds 'axis 1 keeps its velocity' awk -v x="$(largest 9)" 'BEGIN { exit !(x <= 2.2 * 1.001) }'
holds 'axis 2 keeps its torque' awk -v x="$(largest 24)" 'BEGIN { exit !(x <= 90 * 1.001) }'
# torques of the motion are those of its states
sed 1d motion.csv | cut -d, -f2-22 >states.csv
gives 0 eval inverse "$arm" states.csv --friction -o tau.txt
sed 1d motion.csv | cut -d, -f23-29 | tr , ' ' >wanted
sed 1d tau.txt | paste -d' ' - wanted | awk '{ for (k = 1; k <= 7; k++) if (($k - $(k + 7)) ^ 2 > 1e-16) bad = 1 } END { exit bad }'
verdict $? 'the torques are those of eval inverse --friction'

gives 0 plan "$arm" points.csv -o motion.csv
holds 'it prints a summary' grep -q 's along 3 points' out
for name in m.npy m.h5 m.mcap; do
  refuses 2 "^appell: $name: motions are written as text" plan "$arm" points.csv -o "$name"
  holds "no $name" [ ! -e "$name" ]
done
gives 0 plan "$arm" points.csv -o m.csv --json --torque-scale 0.7
holds 'less torque takes longer' slower "$first"
gives 0 plan "$arm" points.csv -o m.csv --json --velocity-scale 0.5
holds 'a lower velocity takes longer' slower "$first"
gives 0 plan "$arm" points.csv -o m.csv --json --acceleration 2
holds 'a lower acceleration takes longer' slower "$first"
gives 0 plan "$arm" points.csv -o m.csv --json --path lines --rate 10000
# in 0.1 ms at 40 rad/s2
holds 'lines stop at the corner' awk -F, 'NR > 100 && $2 > 0.7 && $2 < 0.9 && $9 < 4e-3 { n++ } END { exit !(n > 0) }' m.csv
gives 0 plan "$arm" points.csv --rate 10
holds 'without -o the motion is on standard output' grep -q '^t,q.axis1' out
cut -d, -f1 points.csv | sed 1d | sed 's/^ *//' >one.csv
gives 0 plan "$arm" one.csv --lock axis2,axis3,axis4,axis5,axis6,axis7 -o m.csv --json
gives 0 plan "$arm" points.csv --no-friction --gravity 0,0,0 -o m.csv --json

# ---- bad input ----------------------------------------------------------------------------------

sed -n 2p points.csv >single.csv
sed -n '2p;2p;3p' points.csv >equal.csv
{ sed -n 2p points.csv; echo 0,0.3,nan,1.2,0,1,0; } >nan.csv
{ sed -n 2p points.csv; echo 0,0.3,0,3.2,0,1,0; } >over.csv
{ sed -n 2p points.csv; echo 0,0.3; } >short.csv
: >empty.csv
printf '%s\n' '0,0,0,0.02,0,1,0' '1,0,0,2,0,1,0' '1,0,0,0,0,1,0' '1,0,0,0,1,1,0' >overshoot.csv
rm -f m.csv
refuses 2 'single.csv: 1 point (a path needs at least two)' plan "$arm" single.csv -o m.csv
refuses 2 'empty.csv: 0 points' plan "$arm" empty.csv -o m.csv
refuses 2 'equal.csv:2: the same point as on line 1' plan "$arm" equal.csv -o m.csv
refuses 2 'nan.csv:2: ' plan "$arm" nan.csv -o m.csv
refuses 2 "over.csv:2: joint 'axis4' is at 3.2 (its range is -0.1 to 3)" plan "$arm" over.csv -o m.csv
refuses 2 'short.csv:2: ' plan "$arm" short.csv -o m.csv
refuses 2 "between the points the least position of 'axis4' is " plan "$arm" overshoot.csv -o m.csv
refuses 1 "joint 'axis4' needs a torque of " plan "$arm" points.csv --torque-scale 0.1 -o m.csv
refuses 2 'torque-scale' plan "$arm" points.csv --torque-scale 0
refuses 2 'is not a number above 0' plan "$arm" points.csv --tolerance nan
refuses 2 'needs -o' plan "$arm" points.csv --json
refuses 2 'quaternions' plan quadruped points.csv
refuses 2 'closed chains' plan five-bar points.csv
refuses 2 'nowhere.csv' plan "$arm" nowhere.csv
printf '0 0 0 0 0 0\n1 1 1 1 1 1\n' >puma.txt
refuses 2 'nothing limits the speed' plan puma600 puma.txt -o m.csv
holds 'nothing half-written stays behind' [ ! -e m.csv ]
gives 0 plan puma600 puma.txt -o m.csv --effort 150 --json
finish
