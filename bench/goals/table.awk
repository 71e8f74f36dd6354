# SPDX-License-Identifier: Apache-2.0
# The table of bench/goals/table, from a file of peers and the rows 'ROBOT WHAT PATH WHO NS' of turns
# and floor. With 'alone' there is one build.

function at_least(key, ns) {
  if (!(key in least) || ns < least[key]) least[key] = ns
}

function figure(ns) { return ns == "" ? "-" : sprintf(ns < 100 ? "%.1f" : "%.0f", ns) }

# The ratio that reaches the goal, and whether it does or cannot.
function verdict(goal, ratio, most) {
  if (goal == "") return "-"
  return sprintf("%.2f%s", goal, is_met(goal, ratio) ? " reached" : is_beyond(goal, most) ? " beyond" : "")
}
function is_met(goal, ratio) { return goal != "" && goal <= ratio + 0.005 }
function is_beyond(goal, most) { return goal != "" && most != "" && goal > most }

function cells(row, path, times,    a, b, key, goal, ratio, most) {
  key = row SUBSEP path
  a = least[key, "old"]
  b = least[key, "new"]
  if (a == "" || b == "") return " - | - | - | - | - |"
  ratio = a / b
  if (least[key, "floor"] > 0) most = a / least[key, "floor"]
  if (times > 0 && (key in peer)) goal = times * a / peer[key]
  else if ((key) in recorded) goal = times * recorded[key]
  met[path] += is_met(goal, ratio)
  beyond[path] += !is_met(goal, ratio) && is_beyond(goal, most)
  asked[path] += goal != ""
  sum[path] += log(ratio)
  count[path]++
  return sprintf(" %s | %s | %.2f | %s | %s |", figure(a), figure(b), ratio, verdict(goal, ratio, most),
                 most == "" ? "-" : sprintf("%.2f", most))
}

# Of one build: its best peer, ns, how many times as fast, and whether that is enough.
function lone_cells(row, path, times,    key, b, ns, ratio, most, mark) {
  key = row SUBSEP path
  b = least[key, "new"]
  if (key in peer) ns = peer[key]
  else if (key in known_ns) ns = known_ns[key]
  if (b == "") return " - | - | - |"
  if (ns == "" || !times) return sprintf(" - | %s | - |", figure(b))
  ratio = ns / b
  asked[path]++
  sum[path] += log(ratio)
  count[path]++
  if (ratio + 0.005 >= times) {
    met[path]++
    mark = " reached"
  } else if (times * least[key, "floor"] > ns) {
    beyond[path]++
    mark = " beyond"
  }
  return sprintf(" %s%s | %s | %.2f%s |", figure(ns), (key in fastest) ? " " fastest[key] : "", figure(b), ratio, mark)
}

FILENAME == ARGV[1] { # the file of peers
  if (split($0, field, ",") == 5 && field[4] + 0 > 0) {
    key = field[1] SUBSEP field[2] SUBSEP field[3]
    known_ns[key] = field[4]
    if (field[5] + 0 > 0) recorded[key] = field[5] / field[4]
  }
  next
}

{
  row = $1 SUBSEP $2
  if (!(row in known)) { known[row] = 1; order[++rows] = row }
  if ($4 == "old" || $4 == "new" || $4 == "floor") at_least(row SUBSEP $3 SUBSEP $4, $5 + 0)
  else {
    key = row SUBSEP $3
    if (!(key in peer) || $5 + 0 < peer[key]) { peer[key] = $5 + 0; fastest[key] = $4 }
  }
}

function table_of_one(    k, row, name) {
  print "| robot | what | general: best other | new | other / new | generated: best other | new | other / new | batch: best other | new | other / new | lanes |"
  print "|---|---|---|---|---|---|---|---|---|---|---|---|"
  for (k = 1; k <= rows; k++) {
    row = order[k]
    split(row, name, SUBSEP)
    print sprintf("| %s | %s |", name[1], name[2]) lone_cells(row, "general", 3) \
      lone_cells(row, "generated", 2) lone_cells(row, "batch", 2.5) " " figure(least[row, "lanes", "new"]) " |"
  }
}

function table_of_two(    k, row, name, line, lanes, key) {
  print "| robot | what | best peer, ns | general: old | new | old / new | goal | at most | generated: old | new | old / new | goal | at most | batch: old | new | old / new | goal | at most | lanes: old | new | old / new | at most |"
  print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
  for (k = 1; k <= rows; k++) {
    row = order[k]
    key = row SUBSEP "general"
    split(row, name, SUBSEP)
    line = sprintf("| %s | %s | %s |", name[1], name[2], (key in peer) ? figure(peer[key]) " " fastest[key] : "-")
    line = line cells(row, "general", 3) cells(row, "generated", 2) cells(row, "batch", 2.5)
    lanes = cells(row, "lanes", 0)
    sub(/[^|]*\|[^|]*\|$/, substr(lanes, match(lanes, /[^|]*\|$/)), lanes) # no goal of its own
    print line lanes
  }
}

END {
  if (alone) table_of_one()
  else table_of_two()
  print ""
  for (path in count)
    printf "%s: %.2f times as fast (geometric mean of %d), %d of %d goals reached, %d beyond the floor\n", path,
      exp(sum[path] / count[path]), count[path], met[path], asked[path], beyond[path]
}
