#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell lint: findings as text, JSON and SARIF, exit statuses, usage.
set -u
LC_ALL=C
export LC_ALL
# shellcheck source=tests/cli/checks.sh
. tests/cli/checks.sh

cat >arm.urdf <<'END'
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.2 0 0"/>
      <mass value="3"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.5"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="2" velocity="3"/>
  </joint>
</robot>
END
sed 's/izz="0.5"/izz="0.055"/' arm.urdf >weak.urdf
sed 's/effort="2"/effort="20"/' weak.urdf >clean.urdf
cp weak.urdf 'odd name%.urdf'

# ---- text ---------------------------------------------------------------------------------------

gives 0 lint clean.urdf
holds 'a clean robot has one line' test "$(cat out)" = 'clean.urdf: 0 errors, 0 warnings, 0 notes'
gives 1 lint arm.urdf
holds 'file, line, severity, rule' grep -qx 'arm.urdf:7: error \[inertia-triangle\]' out
holds 'why, in numbers' grep -q 'N m' out
holds 'a fix' grep -q 'fix: <inertia ixx=' out
holds 'the sum' grep -qx 'arm.urdf: 1 error, 1 warning, 0 notes' out
holds 'no colours in a file' sh -c "! grep -q '\[0m' out"
gives 0 lint weak.urdf
holds 'the worst torque of gravity: 9.81 * 3 * 0.2' grep -q 'needs 5.886 N m' out
gives 1 lint --strict weak.urdf
holds 'warnings are errors then' grep -q 'weak.urdf:14: error \[effort-gravity\]' out
gives 0 lint --strict --disable effort-gravity,ignored weak.urdf
gives 0 lint --quick weak.urdf
holds 'nothing about motion when quick' sh -c '! grep -q effort-gravity out'
gives 1 lint arm.urdf -o report.txt
holds 'written to a file' grep -q 'inertia-triangle' report.txt
holds 'and not to standard output' test ! -s out
gives 0 lint puma600
holds 'built-in robots have no lines' grep -q '^puma600: warning \[inertia-gyration\]' out
gives 0 lint five-bar
gives 0 lint --rules
holds 'the rules' grep -q 'inertia-triangle  *error' out
printf 'appell: 1\nbodies:\n  - name: a\n    mas: 1\n    joint: {type: revolt}\n...\n' >two.yaml
gives 1 lint two.yaml
holds 'more than one mistake' test "$(grep -c ': error' out)" -ge 2
printf '<robot name="r"><link' >cut.urdf
gives 1 lint cut.urdf
holds 'a file that is no XML' grep -q '^cut.urdf:1: error \[syntax\]' out

# ---- for programs -------------------------------------------------------------------------------

gives 1 lint --json arm.urdf
holds 'JSON' json
holds 'its rule' grep -q '"rule": "inertia-triangle"' out
holds 'its line' grep -q '"line": 7' out
holds 'its effect' grep -q '"joint": "shoulder"' out

# sarif: out has what SARIF 2.1.0 requires of a log, and rule indices that lead to the rule.
sarif() {
  command -v python3 >/dev/null || {
    unread=yes
    return 0
  }
  python3 - <<'END'
import json
log = json.load(open("out"))
assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
for run in log["runs"]:
    driver = run["tool"]["driver"]
    assert driver["name"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["help"]["text"].startswith(rule["shortDescription"]["text"])
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        for place in result["locations"]:
            assert set(place) <= {"physicalLocation", "logicalLocations"} and place
            if "physicalLocation" in place:
                uri = place["physicalLocation"]["artifactLocation"]["uri"]
                assert " " not in uri and "\\" not in uri
                region = place["physicalLocation"].get("region")
                assert region is None or region["startLine"] >= 1
END
}
for model in arm.urdf weak.urdf clean.urdf two.yaml cut.urdf puma600 stewart 'odd name%.urdf'; do
  try lint --sarif "$model"
  holds "SARIF of $model" sarif
done
holds 'a name as a URI' grep -q '"uri": "odd%20name%25.urdf"' out
try lint --sarif --strict weak.urdf
holds 'strict in SARIF' grep -q '"level": "error"' out

# ---- several files, as in the GitHub action and the pre-commit hook -------------------------------

# files STATUS WHAT ARGUMENT...: scripts/lint_files ends so.
files() {
  want=$1 what=$2
  shift 2
  APPELL=$APPELL "$here/scripts/lint_files" "$@" >out 2>err
  [ $? -eq "$want" ]
  verdict $? "$what"
}
files 0 'clean files' clean.urdf clean.urdf
files 1 'one with an error' clean.urdf arm.urdf
holds 'its line' grep -q '^arm.urdf:7: error \[inertia-triangle\]' out
files 1 'strict' --strict --disable=ignored weak.urdf
files 2 'a file that is missing' clean.urdf missing.urdf
files 2 'an option that is none' --sloppy clean.urdf
APPELL=/nonexistent/appell "$here/scripts/lint_files" clean.urdf >out 2>err
[ $? -eq 2 ] && grep -q 'install it' err
verdict $? 'no command'
if command -v python3 >/dev/null; then
  files 1 'one document' --sarif all.sarif arm.urdf 'odd name%.urdf' weak.urdf
  mv all.sarif out
  holds 'SARIF of several files' sarif
  for name in arm weak odd%20name%25; do holds "with $name" grep -q "\"uri\": \"$name.urdf\"" out; done
  [ "$(grep -c '"driver"' out)" -eq 1 ]
  verdict $? 'and one run'
fi

# What the action and the hooks call is there.
for called in $(sed -n 's|.*\(scripts/[a-z_]*\).*|\1|p' "$here/action.yml" "$here/.pre-commit-hooks.yaml"); do
  holds "$called" [ -x "$here/$called" ]
done
for option in $(grep -o 'APPELL_[A-Z]*=OFF' "$here/action.yml"); do
  holds "the build knows $option" grep -q "option(${option%=*} " "$here/CMakeLists.txt"
done
if command -v python3 >/dev/null && python3 -c 'import yaml' 2>/dev/null; then
  python3 - "$here" >out 2>err <<'END'
import sys, yaml
action = yaml.safe_load(open(sys.argv[1] + "/action.yml"))
assert action["name"] and action["description"] and action["runs"]["using"] == "composite"
assert all(step["shell"] and step["run"] for step in action["runs"]["steps"])
for hook in yaml.safe_load(open(sys.argv[1] + "/.pre-commit-hooks.yaml")):
    assert {"id", "name", "entry", "language", "files"} <= set(hook)
END
  verdict $? 'action and hooks have what they must have'
fi

# ---- usage --------------------------------------------------------------------------------------

refuses 2 'lint MODEL' lint
refuses 2 'exclude each other' lint --json --sarif arm.urdf
refuses 2 "did you mean 'inertia-triangle'" lint --disable inertia-triangel arm.urdf
refuses 2 'no rule' lint --disable zebra arm.urdf
refuses 2 'cannot be read' lint nowhere.urdf
refuses 2 "did you mean 'puma600'" lint puma60
printf 'x' >arm.txt
refuses 2 'ends in .urdf, .xml or .yaml' lint arm.txt
refuses 2 'too many' lint arm.urdf clean.urdf

# ---- the fixes mend -----------------------------------------------------------------------------

fix=$("$APPELL" lint --json arm.urdf | sed -n 's/.*"fix": "\(<inertia .*\/>\).*/\1/p' | head -n 1 | sed 's/\\"/"/g')
sed "s|<inertia .*/>|$fix|" arm.urdf >mended.urdf
gives 0 lint mended.urdf
holds 'the nearest inertia is a body' sh -c '! grep -q inertia-triangle out'
fix=$("$APPELL" lint --json arm.urdf | sed -n 's/.*; or \(izz=.*"\) if the.*/\1/p' | sed 's/\\"/"/g')
sed "s|izz=\"0.5\"|$fix|" arm.urdf >mended.urdf
gives 0 lint mended.urdf
holds 'with its decimal point back there is no finding' sh -c '! grep -q inertia- out'

finish
