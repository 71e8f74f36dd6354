#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Locked joints and parts of robots on the command line and in scenarios. APPELL is the path of the
# command.
set -u
. "$(dirname "$0")/cli/checks.sh"

link() {
  echo "<link name='$1'><inertial><origin xyz='0.1 0.2 -0.3'/><mass value='2'/>"
  echo "<inertia ixx='0.3' iyy='0.3' izz='0.2' ixy='0' ixz='0' iyz='0'/></inertial></link>"
}
# joint NAME TYPE PARENT CHILD INSIDE
joint() {
  echo "<joint name='$1' type='$2'><parent link='$3'/><child link='$4'/>"
  echo "<origin xyz='0.1 0 0.5' rpy='0.3 0.2 0.1'/><axis xyz='0 1 0'/>$5</joint>"
}
{
  echo "<robot name='torso'>"
  for name in pelvis chest head upper lower hand thumb finger; do link $name; done
  joint waist revolute pelvis chest "<limit lower='0.2' upper='2' effort='500' velocity='1'/>"
  joint neck continuous chest head ''
  joint shoulder continuous chest upper ''
  joint elbow revolute upper lower "<limit lower='-2' upper='2' effort='500' velocity='1'/>"
  joint wrist fixed lower hand ''
  joint grip prismatic hand thumb "<limit lower='0' upper='0.1' effort='500' velocity='1'/>"
  joint follow prismatic hand finger "<limit lower='-1' upper='1' effort='500' velocity='1'/><mimic joint='grip' multiplier='-1' offset='0.02'/>"
  echo "</robot>"
} >torso.urdf

# near A B COLUMNS: the numbers of A are those of B in these columns.
near() {
  grep -v '^#' "$1" | tr ' ' '\n' >a.txt
  grep -v '^#' "$2" | cut -d' ' -f"$3" | tr ' ' '\n' >b.txt
  paste -d' ' a.txt b.txt | awk '
    NF != 2 { exit bad = 1 }
    { d = $1 - $2; s = $2 < 0 ? -$2 : $2; if (d > 1e-12 * (1 + s) || -d > 1e-12 * (1 + s)) exit bad = 1 }
    END { exit bad || NR == 0 }'
}
# joints NAME...: these are the coordinates in the order of q.
joints() {
  got=$(tr ',{}' '\n' <out | awk -F'"' '
    $2 == "name" { name = $4 } $2 == "q" && $3 !~ /null|-1/ { printf "%s ", name }')
  [ "$got" = "$(printf '%s ' "$@")" ]
}

# ---- the reduced robot is the whole one at rest there --------------------------------------------

# of waist neck shoulder elbow grip
echo '0.4 0 -0.7 1.1 0.05  0 0 0.3 0.9 0  0 0 -0.2 0.5 0' >whole.txt
echo '-0.7 1.1  0.3 0.9  -0.2 0.5' >arm.txt
"$APPELL" eval inverse torso.urdf whole.txt >whole.out 2>/dev/null
for options in '--lock waist=0.4,neck,grip=0.05' '--lock=waist=0.4,grip=0.05 --tip lower' \
  '--lock waist=0.4,follow=-0.03 --root chest --tip hand' '--root upper --lock waist=.4,grip=5e-2,shoulder=-0.7'; do
  columns=3,4 states=arm.txt
  case $options in *upper*) columns=4 states=fore.txt ;; esac
  echo '1.1 0.9 0.5' >fore.txt
  if [ $states = fore.txt ]; then echo '0.4 0 -0.7 1.1 0.05  0 0 0 0.9 0  0 0 0 0.5 0' >whole.txt; fi
  "$APPELL" eval inverse torso.urdf whole.txt >whole.out 2>/dev/null
  # shellcheck disable=SC2086
  gives 0 eval inverse torso.urdf $states $options
  cp out part.out
  holds "the whole robot has the same forces: $options" near part.out whole.out $columns
  for ending in urdf yaml; do
    # shellcheck disable=SC2086
    gives 0 convert torso.urdf part.$ending $options
    gives 0 eval inverse part.$ending $states
    cp out again.out
    holds "so has what is written to .$ending" near again.out part.out 1-
  done
done

# ---- every verb -----------------------------------------------------------------------------------

gives 0 info --json torso.urdf --lock waist=1,grip
holds 'a leader takes its follower along' joints neck shoulder elbow
gives 0 info --json torso.urdf --root chest
holds 'a root keeps what hangs on it' joints neck shoulder elbow grip
gives 0 info --json torso.urdf --root chest --tip finger
holds 'a tip keeps what moves it, the leader of a follower too' joints shoulder elbow grip
try info --json torso.urdf --floating --lock root_joint=0:0:1:0:0:0.6:0.8,waist=1
holds 'a free base can be locked' joints neck shoulder elbow grip
gives 0 lint torso.urdf --quick --root chest
gives 0 compare --json torso.urdf --tip lower --states 2
gives 0 generate torso.urdf -o code --name arm --root chest --tip hand
holds 'generated code has the coordinates that stay' grep -q 'arm_NV = 2 ' code/arm.h
gives 0 excite torso.urdf --root chest --tip lower --period 2 --rate 10 --evaluations 50 -o motion.csv
holds 'excited are the joints that stay' sh -c 'head -n 1 motion.csv | grep -q "q.shoulder.*q.elbow" && ! grep -q waist motion.csv'
gives 0 info torso.urdf --lock waist=1,neck,shoulder,elbow,grip
refuses 2 'nothing moves' eval gravity torso.urdf arm.txt --lock waist=1,neck,shoulder,elbow,grip

# ---- what is refused ------------------------------------------------------------------------------

refuses 2 'torso.urdf: lock: the robot has no joint "elbw" (did you mean "elbow"?)' info torso.urdf --lock elbw=1
refuses 2 'joint "waist" cannot be at 0 (its limits are 0.2 and 2)' info torso.urdf --lock waist
refuses 2 'joint "wrist" is fixed' info torso.urdf --lock wrist
cat >chain.yaml <<'END'
appell: 1
name: chain
bodies:
  - name: a
    joint: {name: ja, type: revolute, axis: [0, 1, 0], limits: {lower: -1, upper: 1}}
    inertia: {mass: 0.5, com: [0.5, 0, 0], tensor: [1, 0, 0, 1, 0, 1]}
  - name: b
    joint: {name: jb, type: revolute, axis: [0, 1, 0], limits: {lower: -5, upper: 5}}
    inertia: {mass: 0.5, com: [0.5, 0, 0], tensor: [1, 0, 0, 1, 0, 1]}
  - name: c
    parent: b
    joint: {name: jc, type: revolute, axis: [0, 1, 0], place: {xyz: [1, 0, 0]}}
    inertia: {mass: 0.5, com: [0.5, 0, 0], tensor: [1, 0, 0, 1, 0, 1]}
END
{
  sed 's/{lower: -5, upper: 5}/{lower: -5, upper: 5}, mimic: {joint: ja, ratio: 2}/' chain.yaml
  echo ...
} >follow.yaml
cat >>chain.yaml <<'END'
closures:
  - {name: gears, type: gear, first: {joint: ja}, second: {joint: jb}, ratio: 2}
coordinates:
  - {name: x, type: joint, joint: ja}
  - {name: y, type: joint, joint: jc}
actuated: [ja, jc]
...
END
refuses 2 'the root depends on it' info chain.yaml --lock ja=0.3 --root c
refuses 2 'puts "ja" at 1.5, beyond its limits (-1 to 1)' info follow.yaml --lock jb=3
refuses 2 'has 1 coordinate, but 2 values' info torso.urdf --lock neck=1:2
refuses 2 'locked twice' info torso.urdf --lock neck=1,neck=2
refuses 2 'joint "follow" is at 0.02 with its leader' info torso.urdf --lock grip,follow=0.5
refuses 2 "is not joints with values such as" info torso.urdf --lock neck=1,,elbow
refuses 2 "is not joints with values such as" info torso.urdf --lock neck=nan
refuses 2 "is not joints with values such as" info torso.urdf --lock =1
refuses 2 'root: the robot has no link "cest" (did you mean "chest"?)' info torso.urdf --root cest
refuses 2 'tip: "head" is not a descendant of the root "upper"' info torso.urdf --root upper --tip head
refuses 2 'joint "left_rod" cannot be locked: closed chains move it' info five-bar --lock left_rod

# ---- scenarios ------------------------------------------------------------------------------------

scenario() {
  printf 'appell-scenario: 1\nrobot: torso.urdf\nduration: 0.1\n%s\n...\n' "$1" >run.yaml
}
scenario 'lock: {waist: 0.4, neck: [0.1], grip: 0.05}
start: {shoulder: 0.3, elbow: 0.5}'
gives 0 simulate run.yaml -o run.csv --quiet
holds 'a run has the coordinates that stay' sh -c 'head -n 1 run.csv | grep -q "^t,q.shoulder,q.elbow,v.shoulder"'
scenario 'root: chest
tip: lower'
gives 0 simulate run.yaml -o part.csv --quiet
holds 'so has that of a part' sh -c 'head -n 1 part.csv | grep -q "^t,q.shoulder,q.elbow,v.shoulder"'
scenario 'tip: lower
lock: {elbw: 1}'
refuses 2 'run.yaml:5: lock: the robot has no joint "elbw" (did you mean "elbow"?)' simulate run.yaml
scenario 'lock: [elbow]'
refuses 2 'run.yaml:4: lock has a list (expected a map of joint names to values)' simulate run.yaml
scenario 'root: nobody'
refuses 2 'run.yaml:4: root: the robot has no link' simulate run.yaml

# The options of a run become keys of the scenario that its log has.
scenario 'start: {shoulder: 0.3, elbow: 0.5}'
gives 0 simulate run.yaml -o options.csv --quiet --lock waist=0.4,neck=0.1,grip=0.05
holds 'options do what the keys do' cmp options.csv run.csv
holds 'the log says it' grep -q '^lock: {waist: \[0.4\], neck: \[0.1\], grip: \[0.05\]}$' options.scenario.yaml
gives 0 report options.csv --data
holds 'its report draws the reduced robot' grep -q '"freedom": 2' out
scenario ''
gives 0 simulate run.yaml -o options.csv --quiet --root chest --tip lower
holds 'so do the options for a part' cmp options.csv part.csv
gives 0 simulate options.scenario.yaml -o again.csv --quiet
holds "the log's scenario gives the same run" cmp options.csv again.csv
refuses 2 'run.yaml: lock: the robot has no joint "elbw" (did you mean "elbow"?)' simulate run.yaml --lock elbw
refuses 2 "is not joints with values such as" simulate run.yaml --lock elbow=x
scenario 'tip: lower'
refuses 2 'run.yaml:4: tip is given, but the scenario already has it (use one of the two)' simulate run.yaml --tip hand
gives 0 simulate run.yaml --quiet --root chest
echo '{appell-scenario: 1, robot: torso.urdf, duration: 0.1}' >flow.yaml
echo ... >>flow.yaml
refuses 2 'cannot be added to a scenario in flow style' simulate flow.yaml --tip lower

# Control: the controller's robot and the simulated one.
sed "s|\.\./|$here/models/|; /joint[456]/d; s/\[0.6, -0.6, 0.6, .*\]/[0.6, -0.6, 0.6]/; s/0, 0, 0, 0, 0, 0/0, 0, 0/
  s/start: .*/start: [0.2, -0.1, 0.15]/; s/^duration: .*/duration: 2.2/" "$here/models/control/puma_ramp.yaml" >arm.yaml
refuses 2 'axes: 3 entries for 6 joints' control arm.yaml
gives 0 control arm.yaml -o options.csv --quiet --lock joint4=0.5,joint5=-0.5,joint6
cp arm.yaml whole.yaml
sed -i 's/^controller:/lock: {joint4: 0.5, joint5: -0.5, joint6: 0}\n&/' arm.yaml
gives 0 control arm.yaml -o arm.csv --quiet
holds 'options do what the keys do' cmp options.csv arm.csv
refuses 2 'lock is given, but the scenario already has it' control arm.yaml --lock joint4
gives 0 control whole.yaml --replay options.csv --quiet --lock joint4=0.5,joint5=-0.5,joint6
holds 'a controller has the coordinates that stay' sh -c 'head -n 1 arm.csv | grep -q q.joint3 && ! head -n 1 arm.csv | grep -q q.joint4'
sed -i 's/joint6: 0/joint7: 0/' arm.yaml
refuses 2 'lock: the robot has no joint "joint7" (did you mean' control arm.yaml

finish
