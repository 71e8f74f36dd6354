#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell compare --against: where two programs disagree on a robot, and the numbers that explain it.
# APPELL is the path of the command.
set -u
. "$(dirname "$0")/cli/checks.sh"

# built PROGRAM: this command has it.
built() {
  "$APPELL" compare --against "$1" ascher2 >out 2>err || ! grep -q 'was built without' err || {
    left_out "$1 is not asked: built without it (scripts/setup ci)"
    return 1
  }
}

# link NAME INERTIAL, joint NAME PARENT CHILD MORE
inertial() { echo "<inertial><origin xyz='0.1 0.2 0.3' rpy='$2'/><mass value='$1'/><inertia ixx='0.02' iyy='0.03' izz='$3' ixy='0.001' ixz='0.002' iyz='0.003'/></inertial>"; }
joint() {
  echo "<joint name='$1' type='${5-continuous}'><parent link='$2'/><child link='$3'/>"
  echo "<origin xyz='0.1 0 0.5' rpy='0.3 0.2 0.1'/><axis xyz='0 1 0'/>$4</joint>"
}
# robot INSIDE-OF-HAND INERTIAL-OF-CAMERA
robot() {
  echo "<robot name='arm'><link name='base'/>"
  echo "<link name='upper'>$(inertial 2 '0 0 0' 0.04)</link>"
  echo "<link name='lower'>$(inertial 1 '0.1 0.2 0.3' 0.04)</link>"
  echo "<link name='camera'>$2</link>"
  echo "<link name='hand'>$1</link>"
  joint shoulder base upper "<dynamics damping='0.5' friction='0.25'/>"
  joint elbow upper lower "<limit lower='-1' upper='2' effort='1' velocity='1'/>" revolute
  joint bolt lower camera '' fixed
  joint wrist lower hand ''
  echo "</robot>"
}
whole=$(inertial 0.5 '0 0 0' 0.04)
robot "$whole" "$whole" >same.urdf

# ---- agreement -----------------------------------------------------------------------------------

for program in mujoco kdl; do
  built $program || continue
  for model in puma600 stanford "$here/models/two_link.urdf" same.urdf; do
    case $program$model in mujoco*two_link*) continue ;; esac # bodies without inertia
    gives 0 compare --against $program "$model"
    holds "$program agrees on $model" grep -q 'They agree' out
    gives 0 compare --json --against $program "$model" --states 5 --seed 3
    holds "$program as one document" json
    holds "and it says so" grep -q '"agrees": true' out
  done
done

refuses 2 "unknown value of option --against 'unity', one of mujoco, kdl is needed" compare --against unity puma600
refuses 2 '--floating is not possible with --against' compare --against kdl --floating puma600
refuses 2 '--lock, --root and --tip are not possible' compare --against kdl --lock joint1 puma600
refuses 2 'closed chains' compare --against kdl five-bar
refuses 2 '' compare --against kdl --tolerance 0 puma600

# ---- differences ---------------------------------------------------------------------------------

# finds WORDS: MuJoCo understands a robot otherwise, and these words say where.
finds() {
  gives 1 compare --against mujoco different.urdf
  tr '\n' ' ' <out | sed 's/  */ /g' >line
  holds "$1" grep -q "$1" line
}
if built mujoco; then
  # A link without an inertia weighs as much as its shapes there.
  robot "<collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision>" "$whole" >different.urdf
  finds 'line 5: link "hand", mass: 0 here, 1 in MuJoCo'
  holds 'the mass of all that moves differs' grep -q 'mass .*DIFFERS' out
  holds 'the kinematics do not' grep -q 'frame .*agrees' out
  holds 'and that explains it' grep -q 'these numbers explain it' out
  gives 1 compare --json --against mujoco different.urdf
  holds 'one document' json
  holds 'with the line' grep -q '"line": 5' out

  # One that breaks the triangle inequality is refused, or balanced: of two links that do not move
  # apart the one that needs it.
  robot "$whole" "$(inertial 0.5 '0 0 0' 0.4)" >different.urdf
  finds 'line 4: link "camera", inertia: 0.02 0.001 0.002 0.03 0.003 0.4 here, 0.1'

  # Rotor inertia is not read of transmissions there.
  robot "$whole" "$whole" | sed 's|</robot>||' >different.urdf
  cat >>different.urdf <<'EOF'
<transmission name='t'><type>transmission_interface/SimpleTransmission</type><joint name='elbow'/>
<actuator name='m'><mechanicalReduction>10</mechanicalReduction><motorInertia>0.5</motorInertia></actuator>
</transmission></robot>
EOF
  finds 'link "lower", rotor_inertia: 50 here, 0 in MuJoCo'
  holds 'rigid bodies agree' grep -q 'rigid bodies agree all the same' out

  # What it does not read is said in one line.
  robot "$whole" "$whole" | sed 's|continuous|planar|' >different.urdf
  refuses 1 'different.urdf: MuJoCo .*' compare --against mujoco different.urdf
fi

finish
