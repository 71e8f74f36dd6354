#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The verb identify and its data: logs that contradict the robot, other columns, several logs, gaps,
# poses at rest, single joints.
set -u
LC_ALL=C
export LC_ALL
appell=${APPELL:-build/appell}
case $appell in /*) ;; *) appell=$PWD/$appell ;; esac
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
cd "$tmp" || exit 1
failures=0

# says NAME STATUS WORDS ARGUMENTS...: identify ends with that status, and standard error or output
# has these words. WORDS -: standard error is empty.
says() {
  name=$1 status=$2 words=$3
  shift 3
  "$appell" identify "$@" >out 2>err
  got=$?
  if [ "$words" = - ]; then [ ! -s err ]; else grep -q -e "$words" out err; fi
  found=$?
  if [ "$got" -eq "$status" ] && [ $found -eq 0 ]; then
    echo "ok - $name"
  else
    failures=$((failures + 1))
    echo "not ok - $name: exit status $got"
    sed 's/^/#   /' err
  fi
}

# change PROGRAM: columns of the motion changed by awk, with noise of 1 % of 5 N m in the forces.
# Columns of scara: t, then q 2-5, v 6-9, a 10-13, tau 14-17.
change() {
  awk -F, -v OFS=, "NR > 1 { $1 } 1" noisy.csv
}

"$appell" convert scara scara.yaml >/dev/null
"$appell" excite scara --period 8 --evaluations 100 -o motion.csv >/dev/null
awk -F, -v OFS=, 'NR > 1 { for (k = 14; k <= 17; k++) { s = (s * 16807 + 7) % 2147483647; $k += $k * 0.02 * (s / 2147483647 - 0.5) } } 1' \
  motion.csv >noisy.csv
head -n 1 motion.csv >names

# ---- doubts -------------------------------------------------------------------------------------

says 'a clean log has no doubts' 0 - scara motion.csv
says 'nor has one with noise' 0 - scara noisy.csv --friction
cut -d, -f1-5,14-17 noisy.csv >raw.csv
says 'nor one without velocities' 0 - scara raw.csv --friction
says 'and says so in JSON' 0 '"doubts": \[\]' scara noisy.csv --friction --json

change '$2 *= 57.29578; $3 *= 57.29578; $5 *= 57.29578' | cut -d, -f1-5,14-17 >c.csv
says 'degrees' 2 'contradicts the robot: q.elbow reaches .*are positions in degrees' scara c.csv --friction -o found.urdf
test -e found.urdf && failures=$((failures + 1)) && echo 'not ok - a file is written from degrees'
says 'degrees, trusted' 0 'warning: q.elbow reaches .*degrees' scara c.csv --friction --trust
says 'degrees, converted' 0 - scara c.csv --friction --columns 'q.shoulder=q.shoulder*deg,q.elbow=q.elbow*deg,q.roll=q.roll*deg'
change '$1 *= 1000' | cut -d, -f1-5,14-17 >c.csv
says 'milliseconds' 2 't goes in steps of 10 s, .* are these milliseconds' scara c.csv --friction
says 'milliseconds, converted' 0 - scara c.csv --friction --columns 't=t*0.001'
change '$3 += 2.5' >c.csv
says 'limits' 0 'warning: q.elbow is outside the joint.s limits in .* %' scara c.csv --friction
change '$7 *= -1' >c.csv
says 'velocities of the wrong sign' 2 'v.elbow is not the derivative of q.elbow: .* -1 .*opposite signs' scara c.csv --friction
change '$14 = 3.25' >c.csv
says 'a dead column' 2 'tau.shoulder is 3.25 in 100 % .*is the column dead' scara c.csv --friction
change '$15 *= -1' >c.csv
says 'a wrong sign' 2 "tau of joint 'elbow' seems to have the wrong sign: reversed, unexplained forces fall" scara c.csv --friction
says 'a wrong sign, turned' 0 - scara c.csv --friction --columns 'tau.elbow=tau.elbow*-1'
change '$17 *= -1' >c.csv
says 'a wrong sign of the last joint' 2 "joint 'roll' seems to have the wrong sign" scara c.csv --friction
change 'for (k = 14; k <= 17; k++) $k *= -1' >c.csv
says 'all signs' 2 'tau of all joints seem to have the wrong sign' scara c.csv --friction
change 'for (k = 3; k <= 15; k += 4) $k *= -1' >c.csv
# In a mirror the other axis is the wrong one: both explain the log of a SCARA.
says 'an axis that points the other way' 2 "q and tau of joint '.*' seem to have the wrong sign" scara c.csv --friction
change 'x = $14; $14 = $15; $15 = x' >c.csv
says 'swapped forces' 2 "tau of joints 'shoulder' and 'elbow' seem to be swapped" scara c.csv --friction
change 'for (k = 2; k <= 14; k += 4) { x = $k; $k = $(k + 1); $(k + 1) = x }' >c.csv
says 'swapped joints' 2 "q and tau of joints 'shoulder' and 'elbow' seem to be swapped" scara c.csv --friction
change 'for (k = 14; k <= 17; k++) $k /= 30 + k' >c.csv
says 'currents' 2 'tau.elbow has the course of the model.s force, .*is it a current' scara c.csv --friction
# 5 ms are half a sample: forces halfway between this sample and the last one
awk -F, -v OFS=, 'NR > 1 { for (k = 14; k <= 17; k++) { x = $k; if (NR > 2) $k = (x + old[k]) / 2; old[k] = x } } 1' motion.csv | cut -d, -f1-5,14-17 >c.csv
says 'a delay' 0 'warning: the forces are \(4\.[89]\|5\)[0-9.]* ms later' scara c.csv
says 'a delay, taken back' 0 - scara c.csv --delay 0.005
# ten samples of 10 ms, in forces with noise: the log is shifted and looked at again until all is found
awk -F, -v OFS=, '{ for (k = 14; k <= 17; k++) f[NR, k] = $k } NR == 1 { print; next }
  NR > 11 { for (k = 14; k <= 17; k++) $k = f[NR - 10, k]; print }' noisy.csv | cut -d, -f1-5,14-17 >c.csv
says 'a long delay' 0 'warning: the forces are \(100\|99\.[5-9][0-9]*\) ms later' scara c.csv --friction --cutoff 8
says 'a wrong delay' 2 'a delay of 9 s is longer' scara c.csv --delay 9
change 's = (s * 16807 + 7) % 2147483647; $15 = 20 * (s / 2147483647 - 0.5)' >c.csv
says 'a residual' 0 'warning: .* % of tau.elbow is unexplained' scara c.csv --friction

awk '/mass:/ { match($0, /mass: [0-9.]+/); x = substr($0, RSTART + 6, RLENGTH - 6)
  $0 = substr($0, 1, RSTART - 1) "mass: " x / 10 substr($0, RSTART + RLENGTH) } 1' scara.yaml >light.yaml
says 'masses out of proportion' 0 'warning: the forces ask for moving bodies of 5[.0-9]* kg, the model has 1.45 kg' light.yaml motion.csv
says 'a mass of one body' 0 "warning: the forces ask for a body 'forearm' of [2-4][.0-9]* kg, in the model it has 0.5 kg" light.yaml motion.csv
# A motion of 2 s, eight times, at 100 and at 5 samples per second.
"$appell" excite scara --period 2 --evaluations 100 -o fast.csv >/dev/null
awk -F, -v OFS=, 'NR == 1 { print; next } { row[NR] = $0 }
  END { for (r = 0; r < 8; r++) for (k = 2; k < NR; k++) { $0 = row[k]; $1 += 2 * r; print } }' fast.csv |
  cut -d, -f1-5,14-17 >fast_raw.csv
says 'a filter below the motion' 0 "warning: joint 'shoulder' moves at about 0.9[0-9]* Hz: the filter of 1.2 Hz takes 1[0-9] % of that" \
  scara fast_raw.csv --cutoff 1.2
awk 'NR == 1 || NR % 20 == 2' fast_raw.csv >slow.csv
says 'a rate below the motion' 0 "the filter of 1.25 Hz takes .*, and 5 samples per second allow no more than 1.25 Hz (move slower, or sample faster)" \
  scara slow.csv
# Low rates are no doubt where the motion is slow: the true inertia is 1.005567 kg m2.
cut -d, -f1-5,14-17 motion.csv >clean.csv
for every in 5 10; do
  awk -v every=$every 'NR == 1 || NR % every == 2' clean.csv >low.csv
  says "$((100 / every)) samples per second" 0 - scara low.csv
  says 'and its parameters' 0 'upper_arm.Izz + ... *1.0055[0-9]* ' scara low.csv
done

# ---- columns ------------------------------------------------------------------------------------

sed 1d motion.csv >nameless.csv
says 'no names' 2 'nameless.csv:1: the file begins with numbers' scara nameless.csv
says 'columns by number' 0 - scara nameless.csv --columns t=1,q=2-5,v=6-9,a=10-13,tau=14-17
says 'the first row counts' 0 ' 801 samples' scara nameless.csv --columns t=1,q=2-5,v=6-9,a=10-13,tau=14-17
{ echo 'time;p1;p2;p3;p4;f1;f2;f3;f4'; sed 1d raw.csv | tr ',.' ';,'; } >other.csv
says 'semicolons, decimal commas, patterns' 0 - scara other.csv --friction --columns 't=time,q=p{1},tau=f{1}'
{ echo 'time pos/shoulder pos/elbow pos/stroke pos/roll c0 c1 c2 c3' | tr ' ' '\t'; sed 1d raw.csv | tr ',' '\t'; } >tabs.csv
says 'tabs, names of joints, numbers from 0' 0 - scara tabs.csv --friction --columns 't=time,q=pos/{joint},tau=c{0}'
says 'one joint elsewhere' 0 - scara raw.csv --friction --columns 'q.elbow=q.elbow'
says 'a column that is not there' 2 "there is no column 'nothing' for q.elbow" scara raw.csv --columns q.elbow=nothing
says 'a joint that is none' 2 "columns 'q.wrist=3'" scara raw.csv --columns q.wrist=3
says 'too few columns' 2 "3 columns for 4 coordinates" scara raw.csv --columns q=2-4
says 'twice' 2 'q.elbow is given twice' scara raw.csv --columns q=2-5,q.elbow=3
says 'a factor that is none' 2 "the factor behind '\*'" scara raw.csv --columns 'q=q.{joint}*x'
says 'nonsense' 2 'expected NAME=COLUMN' scara raw.csv --columns q
sed '5s/^[^,]*,//' raw.csv >c.csv
says 'a short row' 2 'c.csv:5: expected 9 numbers' scara c.csv
{ cat names; } >c.csv
says 'names alone' 2 '0 samples are too few' scara c.csv
{ cat names; sed -n 2p motion.csv; } >c.csv
says 'one row' 2 '1 samples are too few' scara c.csv

# ---- several logs, gaps, poses, joints ----------------------------------------------------------

"$appell" excite scara --period 8 --evaluations 100 --seed 3 -o second.csv >/dev/null
says 'two logs' 0 '2 logs: 1602 samples' scara motion.csv second.csv
awk -F, -v OFS=, 'NR > 400 { $1 += 2 } 1' raw.csv >gap.csv
says 'a gap' 0 '; 1 gap$' scara gap.csv --friction --cutoff 5
awk -F, -v OFS=, 'NR > 1 && NR % 40 { next } { print }' raw.csv | cut -d, -f2- >poses.csv
says 'poses at rest' 0 'Poses at rest: only parameters of gravity' scara poses.csv --static --trust
says 'poses have fewer parameters' 0 'scara: 1 base parameters' scara poses.csv --static --trust
awk -F, -v OFS=, 'NR > 1 { $2 = 0.3; $4 = -0.1; $5 = 0; $6 = $8 = $9 = $10 = $12 = $13 = 0 } 1' motion.csv >one.txt
sed 1d one.txt | cut -d, -f2-13 | "$appell" eval inverse scara - | grep -v '^#' | tr ' ' ',' >tau.txt
{ cat names; sed 1d one.txt | cut -d, -f1-13 | paste -d, - tau.txt; } >one.csv
says 'one joint moves' 1 'does not excite' scara one.csv
says 'one joint moves, as said' 0 '3 joints do not move' scara one.csv --partial
cut -d, -f1-15 motion.csv >few.csv
says 'some forces' 2 "there is no column 'tau.stroke'" scara few.csv
says 'some forces, as said' 0 '2 joints have no measured force' scara few.csv --partial
# a payload is a part of the force: neither its size nor its delay is taken for that of the robot
"$appell" convert puma600 puma.yaml >/dev/null
sed '/name: link6/,$ s/mass: 0.351/mass: 1/' puma.yaml >carries.yaml
"$appell" excite carries.yaml --evaluations 60 -o carries.csv >/dev/null
says 'a payload is no current' 0 - puma600 carries.csv --payload link6
grep -q 'payload.m  *0.649 ' out || { failures=$((failures + 1)); echo 'not ok - a payload of 0.649 kg'; }
# friction and rotors of joints that show nothing stay as the model has them, and take no part in the evidence
"$appell" excite scara --joints elbow --friction --evaluations 60 -o elbow.csv >/dev/null
says 'what no force shows is the model'"'"'s' 0 'off by 2 %' scara elbow.csv --friction --rotor --partial -o part.yaml
if awk '/friction|rotor/ { n++ } /e\+|inf|nan/ { bad = 1 } END { exit bad || n > 2 }' part.yaml; then
  echo 'ok - and is written so'
else
  failures=$((failures + 1))
  echo 'not ok - and is written so'
  sed 's/^/#   /' part.yaml
fi

echo "$failures checks failed"
[ "$failures" -eq 0 ]
