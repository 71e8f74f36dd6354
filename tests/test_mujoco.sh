#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# MJCF that is written is the same robot in MuJoCo: inverse dynamics with and without friction, joint
# by joint to 1e-12, and closures that hold in the configurations that go with them. APPELL is the
# path of the command.
set -u
. "$(dirname "$0")/cli/checks.sh"

needs "Node.js 18 or newer" node && needs npm npm
oracle=$(dirname "$APPELL")/mujoco
"$here/scripts/web_packages" "$oracle" tests/mujoco >err 2>&1 || {
  cat err
  skip 'the npm package of MuJoCo cannot be fetched (a network)'
}

# same MODEL OPTION...: what is written of it is the same robot there.
same() {
  "$APPELL" convert "$@" robot.xml >out 2>err
  node "$oracle/check.mjs" "$APPELL" "$1" robot.xml >out 2>>err
  verdict $? "$(head -n 1 out)"
}

# ---- the built-in robots, and a robot of every kind of joint -------------------------------------

for model in puma600 stanford scara ascher2 shafei-tree quadruped; do same $model; done

# body NAME PARENT JOINT [TENSOR]
body() {
  echo "  - name: $1"
  echo "    parent: $2"
  echo "    gravity_compensation: 0.25"
  echo "    joint: $3"
  echo "    inertia: {mass: 1.5, com: [0.1, 0.2, -0.1], tensor: ${4-[0.3, 0.01, 0.02, 0.4, -0.03, 0.5]}, rpy: [0.2, 0.1, -0.4]}"
}
place='place: {xyz: [0.1, -0.2, 0.3], rpy: [0.4, 0.5, -0.6]}'
dh='alpha: 0.7, a: 0.2, d: 0.1, theta: 0.3'
drive='rotor: {inertia: 0.01, gear: 12}, friction: {viscous: 0.2, coulomb: 0.7}, spring: {stiffness: 3, rest: 0.4}'
{
  echo 'appell: 1'
  echo 'name: every & <"sort">'
  echo 'gravity: [0.5, -1, -9]'
  echo 'bodies:'
  echo '  - {name: world, parent: ground, joint: {type: fixed}}'
  body base world '{name: float, type: free}'
  body 'a < "b"' base "{type: spherical, $place}" '[1.0e-9, 0, 0, 2.0e-9, 1.0e-10, 2.0e-9]'
  body sled 'a < "b"' "{type: planar, axis: [0.2, -0.5, -1], $place}"
  body down base "{type: planar, axis: [0, 0, -2], $place}"
  body standard sled "{type: revolute, dh: {convention: standard, $dh}, $drive}"
  body slide standard "{type: prismatic, dh: {convention: standard, $dh}, $drive}"
  body follower slide "{type: revolute, axis: [1, 2, 3], $place, mimic: {joint: standard, ratio: -2, offset: 0.1}}"
  body again follower "{type: prismatic, axis: [1, 2, 3], $place, mimic: {joint: follower, ratio: 0.3, offset: 0.2}}"
  body valera base "{type: revolute, dh: {convention: valera, $dh}, $drive}"
  body modified valera "{type: prismatic, dh: {convention: modified, $dh}, $drive}"
  body plate modified "{type: fixed, $place}" '[0.1, 0, 0, 0.2, 0, 0.4]'
  body matrix modified '{type: revolute, place: {xyz: [1, 2, 3], matrix: [0, -1, 0, 1, 0, 0, 0, 0, 1]}, axis: [0, 1, 0]}'
  # Crosses without mass, three joints in one body.
  echo "  - {name: cross, parent: matrix, joint: {type: revolute, axis: [1, 0, 2], $place, $drive}}"
  echo "  - {name: rail, parent: cross, joint: {type: prismatic, axis: [0, 1, 2], $place, $drive}}"
  body wrist rail "{type: revolute, axis: [3, 0, 2], $place, $drive}"
  echo "  - {name: table, parent: wrist, joint: {type: planar, axis: [3, 0, 2], $place}}"
  body disc table "{type: revolute, axis: [0, 0, -1], $place, $drive}"
  body flat matrix "{type: revolute, $place}" '[0.1, 0, 0, 0.2, 0, 0.30000000000000004]'
  echo '...'
} >every.yaml
same every.yaml

# ---- closed chains -------------------------------------------------------------------------------

# Bodies without mass get some: only the closures count here.
closes() {
  "$APPELL" convert "$1" robot.xml >out 2>err &&
    sed 's/<compiler/& boundmass="1e-6" boundinertia="1e-9"/' robot.xml >loop.xml &&
    node "$oracle/closes.mjs" loop.xml "$2" >out 2>>err
  verdict $? "$(head -n 1 out)"
}
closes five-bar 5
closes agile-wrist 9
closes stewart 1

finish
