# SPDX-License-Identifier: Apache-2.0
# The table of bench/goals/table, from peers.csv and the rows 'ROBOT WHAT PATH WHO NS' of turns.

function at_least(key, ns) {
  if (!(key in least) || ns < least[key]) least[key] = ns
}

function figure(ns) { return ns == "" ? "-" : sprintf(ns < 100 ? "%.1f" : "%.0f", ns) }

# The ratio that reaches the goal, and whether it does.
function verdict(goal, ratio) {
  if (goal == "") return "-"
  return sprintf("%.2f%s", goal, goal <= ratio + 0.005 ? " reached" : "")
}

function cells(row, path, times,    a, b, key, goal, ratio) {
  key = row SUBSEP path
  a = least[key, "old"]
  b = least[key, "new"]
  if (a == "" || b == "") return " - | - | - | - |"
  ratio = a / b
  if (path == "general" && (row in peer)) goal = times * a / peer[row]
  else if ((key) in recorded) goal = times * recorded[key]
  met[path] += goal != "" && goal <= ratio + 0.005
  asked[path] += goal != ""
  sum[path] += log(ratio)
  count[path]++
  return sprintf(" %s | %s | %.2f | %s |", figure(a), figure(b), ratio, verdict(goal, ratio))
}

FILENAME ~ /peers\.csv$/ {
  if (split($0, field, ",") == 5 && field[4] + 0 > 0)
    recorded[field[1] SUBSEP field[2] SUBSEP field[3]] = field[5] / field[4]
  next
}

{
  row = $1 SUBSEP $2
  if (!(row in known)) { known[row] = 1; order[++rows] = row }
  if ($4 == "old" || $4 == "new") at_least(row SUBSEP $3 SUBSEP $4, $5 + 0)
  else if ($4 == "pinocchio" || $4 == "rbdl") {
    if (!(row in peer) || $5 + 0 < peer[row]) { peer[row] = $5 + 0; fastest[row] = $4 }
  }
}

END {
  print "| robot | what | best peer, ns | general: old | new | old / new | goal | generated: old | new | old / new | goal | batch: old | new | old / new | goal | lanes: old | new | old / new |"
  print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
  for (k = 1; k <= rows; k++) {
    row = order[k]
    split(row, name, SUBSEP)
    line = sprintf("| %s | %s | %s |", name[1], name[2], (row in peer) ? figure(peer[row]) " " fastest[row] : "-")
    line = line cells(row, "general", 3) cells(row, "generated", 2) cells(row, "batch", 2.5)
    lanes = cells(row, "lanes", 0)
    sub(/[^|]*\|$/, "", lanes) # no goal of its own
    print line lanes
  }
  print ""
  for (path in count)
    printf "%s: %.2f times as fast (geometric mean of %d), %d of %d goals reached\n", path,
      exp(sum[path] / count[path]), count[path], met[path], asked[path]
}
