#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell sweep: the same bytes however the work is divided and whatever ends it, and bad studies get
# one line and lose nothing. APPELL is the path of the command. Prints one line per check, ends with 1
# if one failed.
set -u
. "$(dirname "$0")/cli/checks.sh"

# study TRIALS CHUNK: a ball that falls, from different heights.
study() {
  cat <<EOF
appell-study: 1
name: fall
run: fall.yaml
trials: $1
design: sobol
chunk: $2
parameters:
  - {name: height, key: start.height, uniform: [0.5, 1]}
  - {name: restitution, key: walls.floor.restitution, relative: true, uniform: [0.5, 1.5]}
  - {name: mass, key: robot.ball.mass, normal: [1, 0.1]}
outcomes:
  - {name: impacts, event: impact, take: count}
  - {name: hardest, event: impact, number: impulse, take: most}
  - {name: highest, column: q.height, take: most, from: 0.6}
...
EOF
}
cp "$here/models/point.yaml" .
sed 's/^duration: .*/duration: 2/' "$here/models/ball.yaml" >fall.yaml
study 60 7 >study.yaml

# all FOLDER: the bytes of its chunks, in their order.
all() { cat "$1"/chunk-*.bin; }
same() { all "$1" | cmp -s - one.bytes; }

gives 0 sweep study.yaml -o one --threads 1 --quiet
all one >one.bytes
for n in 2 7; do
  for k in $(seq $n); do
    "$APPELL" sweep study.yaml -o "of$n" --part "$k/$n" --quiet </dev/null
  done
  holds "$n parts: the same bytes" same "of$n"
done
gives 0 sweep study.yaml -o threads --threads 4 --quiet
holds 'four threads: the same bytes' same threads

# The tasks of a job array, as its environment tells them.
for k in 10 12 14; do
  SLURM_ARRAY_TASK_ID=$k SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=3 \
    "$APPELL" sweep study.yaml -o array --part slurm --quiet </dev/null
done
holds 'three tasks of an array: the same bytes' same array
refuses 2 'no task of a job array' sweep study.yaml --part slurm
OMPI_COMM_WORLD_SIZE=4
export OMPI_COMM_WORLD_SIZE
refuses 2 'without MPI' sweep study.yaml -o never
unset OMPI_COMM_WORLD_SIZE

# Killed again and again, at moments that nobody chose.
study 400 5 >long.yaml
for pause in 0.02 0.05 0.1 0.15 0.2; do
  "$APPELL" sweep long.yaml -o killed --quiet >/dev/null 2>&1 &
  run=$!
  sleep $pause
  kill -9 $run 2>/dev/null
  wait $run 2>/dev/null
done
gives 0 sweep long.yaml -o killed --quiet
gives 0 sweep long.yaml -o whole --threads 1 --quiet
all whole >one.bytes
holds 'killed five times: the same bytes' same killed
all one >one.bytes

# Merged, and told.
if "$APPELL" sweep --merge one -o one.h5 --quiet 2>err </dev/null || ! grep -q 'without HDF5' err; then
  holds 'merged' [ -s one.h5 ]
  for f in of2 of7 threads array; do
    gives 0 sweep --merge $f -o $f.h5 --quiet
    holds "$f: the same file" cmp -s one.h5 $f.h5
  done
  cp -r one mixed
  cp whole/chunk-000001.bin mixed/
  refuses 1 'chunk-000001.bin.* is of another study' sweep --merge mixed -o mixed.h5
  holds 'and no file' [ ! -e mixed.h5 ]
  rm mixed/chunk-000001.bin
  refuses 1 '1 of 9 chunks .*trials 7 to 13' sweep --merge mixed -o mixed.h5
else
  left_out 'merged HDF5 files (HDF5 at build time: libhdf5-dev)'
fi
gives 0 sweep --merge one --page one.html --json
holds 'one JSON document' grep -q '"hardest"' out
alone() { ! grep -Eq '(src|href)=' one.html && grep -q '<svg' one.html && grep -q "default-src 'none'" one.html; }
holds 'a page without anything from outside' alone

# A trial again: its outcome is what its log has.
gives 0 sweep study.yaml --trial 17 -o again.csv --json
tr ',}' '\n\n' <out | sed -n 's/.*"highest": *//p' >told
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "q.height") c = i; next }
  $1 >= 0.6 && (m == "" || $c + 0 > m) { m = $c + 0; s = $c } END { print s }' again.csv >logged
close_enough() { paste told logged | awk '{ d = $1 - $2 } END { exit !(NF == 2 && d < 1e-12 && d > -1e-12) }'; }
holds "the highest of the log, $(cat logged)" close_enough
refuses 2 'there is no trial 60' sweep study.yaml --trial 60

# Bad studies.
sed 's/start.height/start.heigth/' study.yaml >bad.yaml
refuses 2 '^appell: bad.yaml:8: key: .*did you mean "height"' sweep bad.yaml -o bad
sed 's/uniform: \[0.5, 1\]}/grid: []}/' study.yaml >bad.yaml
refuses 2 '^appell: bad.yaml:8: grid has no values' sweep bad.yaml -o bad
sed 's/^trials: .*/trials: 1e18/' study.yaml >bad.yaml
refuses 2 '^appell: bad.yaml:4: .*too many trials' sweep bad.yaml -o bad
holds 'nothing was made' [ ! -e bad ]
refuses 2 'I/N' sweep study.yaml --part 3/2
refuses 2 'which study' sweep
refuses 2 'where do the trials go' sweep --merge one
refuses 1 'no folder of a sweep' sweep --merge nothing -o x.h5
refuses 2 'does not end in .html' sweep --merge one -o page.h5 --page page.h5
holds 'and nothing is written' [ ! -e page.h5 ]
refuses 2 'no folder' sweep --merge one -o page.h5 --page nowhere/page.html
holds 'nor before a page that cannot be' [ ! -e page.h5 ]

cat >bad.yaml <<EOF
appell-study: 1
eval: {model: puma600, quantity: gravity}
trials: 10
parameters: [{key: q.joint1, uniform: [0, 1]}]
outcomes: [{column: tau.joint2, from: 1}]
...
EOF
refuses 2 '^appell: bad.yaml:5: from: trials of eval have no time' sweep bad.yaml -o bad

# Numbers beyond all numbers: such a trial has no result, as eval has none.
cat >huge.yaml <<EOF
appell-study: 1
eval: {model: puma600, quantity: inverse}
trials: 3
parameters:
  - {name: speed, key: v.joint2, uniform: [1e200, 2e200]}
outcomes:
  - {column: tau.joint2}
...
EOF
gives 0 sweep huge.yaml -o huge
holds 'no result of what is too large' grep -q '3 without a result' out
refuses 2 'trial 1: a result is too large for a number' sweep huge.yaml --trial 1

# Another study, and another sweep at the same time, keep their hands off.
refuses 1 'another study' sweep long.yaml -o one
holds 'nothing is lost' same one
study 100000 500 >endless.yaml
"$APPELL" sweep endless.yaml -o busy --quiet >/dev/null 2>&1 &
run=$!
for _ in $(seq 50); do
  [ ! -e busy/sweep.txt ] || break
  sleep 0.1
done
refuses 1 'another sweep is at work' sweep endless.yaml -o busy
refuses 1 'another sweep is at work' sweep endless.yaml -o busy --part 1/3
kill -9 $run
wait $run 2>/dev/null

# A disk that is full: one line, what is there stays, and it goes on when there is room.
study 60000 20000 | sed -e 's/^run: .*/eval: {model: point.yaml, quantity: inverse}/' \
  -e '/outcomes/,$d' -e '/restitution/d' -e '/mass/d' -e 's/start.height/q.height/' >big.yaml
printf 'outcomes:\n  - {column: tau.height}\n...\n' >>big.yaml
full=$(ulimit -f 100 2>/dev/null && "$APPELL" sweep big.yaml -o full 2>&1 </dev/null)
holds 'a full disk is told in one line' [ "$full" = 'appell: full: cannot write the file: File too large' ]
holds 'no chunk is half there' [ -z "$(find full -name 'chunk*')" ]
gives 0 sweep big.yaml -o full --quiet
if [ -e one.h5 ]; then
  full=$(ulimit -f 100 2>/dev/null && "$APPELL" sweep --merge full -o full.h5 2>&1 </dev/null)
  holds 'the same for a merged file' [ "$full" = 'appell: full: full.h5: cannot write the file: File too large' ]
  holds 'no merged file is half there' [ -z "$(find . -name 'full.h5*')" ]
fi
finish
