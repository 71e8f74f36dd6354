#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The verbs excite and identify: what they write, what they find, and what they refuse.
set -u
LC_ALL=C
export LC_ALL
appell=${APPELL:-build/appell}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
models=$PWD/models
trap 'exit 1' HUP INT TERM
failures=0

# check NAME COMMAND...: the command succeeds.
check() {
  name=$1
  shift
  if "$@" >"$tmp/out" 2>"$tmp/err"; then
    echo "ok - $name"
  else
    failures=$((failures + 1))
    echo "not ok - $name"
    sed 's/^/#   /' "$tmp/out" "$tmp/err"
  fi
}

# refused NAME STATUS WORDS COMMAND...: one line on standard error with these words, that status.
refused() {
  name=$1 status=$2 words=$3
  shift 3
  "$@" >"$tmp/out" 2>"$tmp/err"
  got=$?
  if [ "$got" -eq "$status" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "$words" "$tmp/err"; then
    echo "ok - $name"
  else
    failures=$((failures + 1))
    echo "not ok - $name: exit status $got"
    sed 's/^/#   /' "$tmp/err"
  fi
}

has() { grep -q "$1" "$2"; }

# ---- base parameters ----------------------------------------------------------------------------

check 'base parameters of the PUMA' sh -c "'$appell' identify puma600 | grep -q '^puma600: 36 base parameters of 60'"
check 'with rotors' sh -c "'$appell' identify puma600 --rotor | grep -q '^puma600: 40 base parameters of 66'"
check 'by the SVD' sh -c "'$appell' identify stanford --base svd --json | grep -q '\"base_parameters\": 33'"
check 'combinations have names' sh -c "'$appell' identify puma600 | grep -q 'link2.mcx + 0.432 link3.m'"

# ---- a motion, and what it tells ----------------------------------------------------------------

cd "$tmp" || exit 1
case $appell in /*) ;; *) appell=$OLDPWD/$appell ;; esac
check 'excite' "$appell" excite scara --period 6 --evaluations 300 --rate 50 -o motion.csv
check 'excite another' "$appell" excite scara --period 6 --evaluations 300 --rate 50 --seed 2 -o other.csv
check 'its columns' sh -c "head -n 1 motion.csv | grep -q '^t,q.shoulder,.*,tau.roll\$'"
check 'its rows' sh -c "test \$(wc -l <motion.csv) -eq 302"
check 'the same seed gives the same motion' sh -c "'$appell' excite scara --period 6 --evaluations 300 --rate 50 | cmp - motion.csv"
check identify "$appell" identify scara motion.csv --validate other.csv --json -o found.urdf
cp "$tmp/out" found.json
for key in parameters base_parameters condition residual_rms validation_rms standard_deviation; do
  check "key $key" has "\"$key\"" found.json
done
check 'every method is in the table' sh -c "'$appell' identify scara motion.csv |
  awk '\$1 ~ /^(qr|svd|pinv|ridge|weighted|consistent)\$/ && \$2 < 1e-6 { n++ } END { exit n != 6 }'"

# The model that was written has the forces of the one that moved: columns 14 to 17 of the motion.
awk -F, 'NR > 1 { for (k = 2; k <= 13; k++) printf "%s ", $k; print "" }' motion.csv >states.txt
awk -F, 'NR > 1 { print $14, $15, $16, $17 }' motion.csv >want.txt
"$appell" eval inverse found.urdf states.txt 2>/dev/null | grep -v '^#' >got.txt
check 'the model that was written has the forces' sh -c "paste want.txt got.txt |
  awk '{ for (k = 1; k <= 4; k++) { d = \$k - \$(k + 4); if (d * d > 1e-8) bad = 1 } } END { exit bad || NR != 301 }'"
# The condition means the same where a motion is planned and where it was measured.
"$appell" excite scara --period 6 --evaluations 300 --rate 50 --json -o again.csv >plan.json
check 'excite and identify agree on the condition' sh -c "sed -n 's/.*\"condition\": \([^,]*\).*/\1/p' plan.json found.json |
  awk '{ c[NR] = \$1 } END { exit !(NR == 2 && c[1] > 0.95 * c[2] && c[1] < 1.05 * c[2]) }'"
check 'YAML too' "$appell" identify scara motion.csv -o found.yaml
check 'and YAML is a model' "$appell" info found.yaml

# Without v and a: filtered. 6 s are short for a filter of 10 Hz at the ends, long enough for 20.
cut -d, -f1-5,14-17 motion.csv >raw.csv
check 'raw log' sh -c "'$appell' identify scara raw.csv --cutoff 8 | grep -q ' states'"

# Friction that was not asked for: a hint on standard error, and only then.
awk -F, -v OFS=, 'NR > 1 { for (k = 14; k <= 17; k++) { v = $(k - 8); $k += 3 * v + (v > 0) - (v < 0) + 0.01 * ((NR * k) % 7 - 3) } } 1' motion.csv >rubs.csv
check 'friction shows' sh -c "'$appell' identify scara rubs.csv 2>&1 >/dev/null | grep -q 'rubs.csv: warning: the forces show friction'"
check 'friction asked for' sh -c "test -z \"\$('$appell' identify scara rubs.csv --friction 2>&1 >/dev/null)\""
check 'no friction' sh -c "test -z \"\$('$appell' identify scara motion.csv 2>&1 >/dev/null)\""

# ---- what is refused ----------------------------------------------------------------------------

refused 'no such file' 2 'nothing.csv' "$appell" identify scara nothing.csv
sed '1s/tau.stroke/torque3/' motion.csv >bad.csv
refused 'a missing column' 2 "bad.csv:1: there is no column 'tau.stroke'" "$appell" identify scara bad.csv
sed '1s/tau.stroke/tau.wrist/' motion.csv >bad.csv
refused 'an unknown joint' 2 "bad.csv:1: column 'tau.wrist' belongs to no joint" "$appell" identify scara bad.csv
sed '1s/v.stroke/v.elbow/' motion.csv >bad.csv
refused 'a column twice' 2 "bad.csv:1: duplicate column 'v.elbow'" "$appell" identify scara bad.csv
sed '1s/v.stroke/w3/' motion.csv >bad.csv
refused 'half of the velocities' 2 "bad.csv:1: there is no column 'v.stroke'" "$appell" identify scara bad.csv
sed '7s/^[^,]*,/nan,/' motion.csv >bad.csv
refused 'not a number' 2 'bad.csv:7: "nan" is not a number' "$appell" identify scara bad.csv
sed '9s/^[^,]*,/0.01,/' motion.csv >bad.csv
refused 'time that goes back' 2 'bad.csv:9: time goes from' "$appell" identify scara bad.csv
sed '5s/,[^,]*$//' motion.csv >bad.csv
refused 'a short row' 2 'bad.csv:5: expected 17 numbers' "$appell" identify scara bad.csv
head -n 9 motion.csv >bad.csv
refused 'too few rows' 2 'bad.csv: 8 samples are too few' "$appell" identify scara bad.csv
: >bad.csv
refused 'an empty file' 2 'bad.csv:1: the file is empty' "$appell" identify scara bad.csv
head -n 60 raw.csv >bad.csv
refused 'too short for a filter' 2 'too few for a filter' "$appell" identify scara bad.csv --cutoff 8
awk -F, -v OFS=, 'NR > 1 { for (k = 2; k <= 13; k++) $k = 0 } 1' motion.csv >bad.csv
refused 'no motion at all' 1 'the motion does not excite' "$appell" identify scara bad.csv
refused 'an unknown method' 2 "method 'best'" "$appell" identify scara motion.csv --method best
refused 'a cutoff beyond the rate' 2 'cutoff' "$appell" identify scara raw.csv --cutoff 40
refused 'a model without data to write' 2 'DATA is missing' "$appell" identify scara -o x.urdf
# Obstacles and chosen joints.
"$appell" excite scara --joints elbow,stroke --range stroke=0.02:0.1 --speed elbow=0.5 --margin 0.1 --floor -1 \
  --frame quill --box=-2,2,-2,2,-1,2 --evaluations 100 --json -o chosen.csv >chosen.json
for key in '"excited": ' '"not_excited": ' '"spare": ' '"self": 0' '"floor": [0-9]' '"box": [0-9]' '"left_out": ' '"guessed": '; do
  check "excite --json has $key" grep -q "$key" chosen.json
done
check 'other joints rest' sh -c "awk -F, 'NR > 1 && (\$2 != 0 || \$6 != 0) { exit 1 }' chosen.csv"
refused 'a floor above the robot' 1 'no motion found that stays 0.02 m above the floor' \
  "$appell" excite scara --floor 3 --evaluations 50 -o none.csv
check 'no motion is written then' test ! -e none.csv
refused 'a joint that is none' 2 "is called 'knee'" "$appell" excite scara --joints knee
refused 'a range beyond the limits' 2 'the model allows' "$appell" excite scara --range stroke=-9:9
refused 'a range that is none' 2 'not a list such as' "$appell" excite scara --range stroke=a
refused 'a box without a frame' 2 'need each other' "$appell" excite scara --box 0,1,0,1,0,1
refused 'a box inside out' 2 'least number first' "$appell" excite scara --frame quill --box 1,0,0,1,0,1
refused 'a margin that is none' 2 'margin' "$appell" excite scara --margin 0.6
refused 'a free base' 1 'one degree of freedom' "$appell" excite quadruped
refused 'a period that is none' 2 'period' "$appell" excite scara --period -1
test -e x.urdf && failures=$((failures + 1)) && echo 'not ok - nothing half-written'

"$appell" simulate "$models"/pendulum_at_walls.yaml -o "$tmp/wall.csv" --quiet
"$appell" identify "$models/two_link.urdf" "$tmp/wall.csv" >/dev/null 2>"$tmp/warned"
check 'contacts of a run are warned of' grep -q 'wall.csv: warning: .*impacts or contacts' "$tmp/warned"

echo "$failures checks failed"
[ "$failures" -eq 0 ]
