#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Logs as MCAP: the reader of the format's authors, npm's @mcap/core, finds the rows of the CSV log,
# and what a killed run leaves can be read up to its last flush. APPELL is the path of the command.
set -u
. "$(dirname "$0")/cli/checks.sh"

needs "Node.js 18 or newer" node && needs npm npm
packages=$(dirname "$APPELL")/mcap
"$here/scripts/web_packages" "$packages" tests/mcap >err 2>&1 || {
  cat err
  skip 'the npm package @mcap/core cannot be fetched (a network)'
}

# same_rows FILE.mcap FILE.csv: all numbers agree.
same_rows() {
  node "$packages/read.mjs" "$1" >rows || return 1
  tail -n +2 "$2" | paste -d' ' - rows | awk '
    NF != 2 { bad = 1; next }
    {
      n = split($1, a, ",")
      if (split($2, b, ",") != n) bad = 1
      for (i = 1; i <= n; i++) if (a[i] + 0 != b[i] + 0) bad = 1
      good++
    }
    END { exit bad || good == 0 }'
}

for name in shafei2018 agile_wrist_swing; do
  gives 0 simulate "$here/models/$name.yaml" --until 0.5 -o run.csv --quiet
  gives 0 simulate "$here/models/$name.yaml" --until 0.5 -o run.mcap --quiet
  holds "$name: the rows of the CSV log" same_rows run.mcap run.csv
done
"$APPELL" simulate "$here/models/ball.yaml" --step 1e-4 -o killed.mcap --quiet >/dev/null 2>&1 &
run=$!
for _ in $(seq 100); do
  [ "$(wc -c 2>/dev/null <killed.mcap.part || echo 0)" -lt 100000 ] || break
  sleep 0.1
done
refuses 1 'another run is writing' simulate "$here/models/ball.yaml" -o killed.mcap
kill -9 $run
wait $run 2>/dev/null
holds 'a killed run leaves a part that can be read' node "$packages/read.mjs" killed.mcap.part part
holds 'and no complete log' [ ! -e killed.mcap ]
finish
