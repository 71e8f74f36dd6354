#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell identify: free bases that stand still or are measured, and files that are copied with other
# numbers. APPELL is the path of the command.
set -u
. "$(dirname "$0")/cli/checks.sh"
LC_ALL=C
export LC_ALL

# log MODEL NQ NV STILL: a log of random states with v and a, and tau but of the free base, which
# is at 0 0 0.5 where STILL is 1.
log() {
  awk -v nq="$2" -v nv="$3" -v still="$4" -v free="$5" '
    function random() { seed = (seed * 16807) % 2147483647; return 2 * seed / 2147483647 - 1 }
    BEGIN {
      seed = 7
      for (i = 0; i < 300; i++) {
        n = 0
        for (k = 0; k < nq; k++) { q[k] = 0.75 * random(); if (free && k >= 3 && k < 7) n += q[k] * q[k] }
        for (k = 0; k < nq; k++) {
          if (free && k >= 3 && k < 7) q[k] /= sqrt(n)
          if (free && still && k < 7) q[k] = k == 2 ? 0.5 : k == 6
          printf "%.17g ", q[k]
        }
        for (k = 0; k < 2 * nv; k++) printf "%.17g ", free && still && k % nv < 6 ? 0 : (k < nv ? 2 : 5) * random()
        print ""
      }
    }' >states.txt
  "$APPELL" eval inverse --friction "$1" states.txt >forces.txt 2>err || cat err
  awk -v nq="$2" -v nv="$3" -v free="$5" '
    FNR == NR && FNR == 1 {
      split("x y z qx qy qz qw", part, " ")
      printf "t"
      if (free) for (k = 1; k <= 7; k++) { b = $2; sub(/^tau/, "q", b); sub(/fx$/, part[k], b); printf ",%s", b }
      for (k = free ? 7 : 1; k <= nv; k++) { b = $(k + 1); sub(/^tau/, "q", b); printf ",%s", b }
      for (g = 1; g <= 2; g++)
        for (k = 1; k <= nv; k++) {
          b = $(k + 1); sub(/^tau/, g == 1 ? "v" : "a", b)
          if (free && k <= 6) { sub(/\.f/, ".v", b); sub(/\.t/, ".w", b) }
          printf ",%s", b
        }
      for (k = free ? 7 : 1; k <= nv; k++) printf ",%s", $(k + 1)
      print ""
      next
    }
    FNR == NR { tau[FNR] = ""; for (k = free ? 7 : 1; k <= nv; k++) tau[FNR] = tau[FNR] "," $k; next }
    { printf "%.17g", FNR / 100; for (k = 1; k <= NF; k++) printf ",%s", $k; print tau[FNR + 1] }' forces.txt states.txt
}

# same MODEL: the states of the last log have the same forces, but for those of the free base.
same() {
  "$APPELL" eval inverse --friction "$1" states.txt 2>err >again.txt || return 1
  paste -d' ' forces.txt again.txt | awk -v nv="$2" -v first="$3" '
    NR > 1 { for (k = first; k <= nv; k++) { d = $k - $(k + nv); if (d < -1e-9 || d > 1e-9) bad = 1 } n++ }
    END { exit bad || n < 300 }'
}

# ---- a free base --------------------------------------------------------------------------------

"$APPELL" convert quadruped plain.yaml
# Heavier and with drives, but for the trunk.
awk 'match($0, /mass: [0-9.]+/) && n++ {
    $0 = substr($0, 1, RSTART + 5) 1.7 * substr($0, RSTART + 6, RLENGTH - 6) substr($0, RSTART + RLENGTH) }
  { print }
  /type: revolute/ { print "      friction: {viscous: 0.3, coulomb: 0.2}"; print "      rotor: {inertia: 0.02}" }' plain.yaml >truth.yaml
log truth.yaml 19 18 0 1 >held.csv
gives 0 identify plain.yaml held.csv --held-base --friction --rotor -o found.yaml
holds 'no force of the base is used' grep -q 'base.fx .* 0 of 0' out
holds 'the joints have the forces of the robot that moved' same found.yaml 18 7
gives 0 identify plain.yaml held.csv --held-base --friction --rotor --json
holds 'one document' json
refuses 2 "there is no column 'tau.base.fx'" identify plain.yaml held.csv --friction
sed 's/v\.base/w.base/g' held.csv >wrong.csv
refuses 2 "there is no column 'v.base.vx'" identify plain.yaml wrong.csv --held-base

# On a stand nothing of the base is in the log; a column of it is no mistake.
log truth.yaml 19 18 1 1 >all.csv
cut -d, -f1,9-20,27-38,45-56,57- all.csv >stand.csv
holds 'only joints are in the log' [ "$(head -n 1 stand.csv | grep -c base)" -eq 0 ]
gives 0 identify plain.yaml stand.csv --stand 0,0,0.5,0,0,0 --friction --rotor -o found.yaml
holds 'the robot that is written has its free base' grep -q 'type: free' found.yaml
holds 'on the stand it has the forces of the robot that was there' same found.yaml 18 7
gives 0 identify plain.yaml all.csv --stand 0 --friction --rotor -o found.xml
holds 'as MJCF' grep -q '<joint name="front_left_knee" .*armature=.* damping=.* frictionloss=' found.xml

refuses 2 'no free base' identify puma600 stand.csv --stand 0
refuses 2 "0, or X,Y,Z,ROLL,PITCH,YAW" identify plain.yaml stand.csv --stand 1,2,3
refuses 2 "0, or X,Y,Z,ROLL,PITCH,YAW" identify plain.yaml stand.csv --stand 0,0,0,0,0,up
refuses 2 'stands still or it moves' identify plain.yaml stand.csv --stand 0 --held-base

# ---- a copy of a file ----------------------------------------------------------------------------

# arm MASS DAMPING ROTOR: comments, odd spacing, a link without inertia, a fixed link.
arm() {
  cat <<END
<?xml version="1.0"?>
<!-- an arm that somebody wrote by hand -->
<robot name="arm">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base"/>
  <link name="upper"> <!-- from the CAD -->
    <inertial>
      <!-- measured, they say -->
      <origin   xyz='0.1 0 0.2'
                rpy="0 0 0"/>
      <mass value="$1"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1" /> <!-- guessed -->
    </inertial>
    <visual><geometry><box size="0.1 0.1 0.4"/></geometry><material name="blue"/></visual>
  </link>
  <link name="lower">$4</link>
  <link name="tool"><inertial><mass value="0.5"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <joint name="shoulder" type="revolute"><!-- the big motor -->
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="80" velocity="3"/>
    <dynamics damping="$2" friction="0.0"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4"/><axis xyz="1 0 0"/>$5
  </joint>
  <joint name="flange" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 0.3"/></joint>
  <transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="shoulder"/>
    <actuator name="m"><mechanicalReduction>10</mechanicalReduction><motorInertia>$3</motorInertia></actuator>
  </transmission>
</robot>
END
}
heavy='<inertial><origin xyz="0 0.1 0.1"/><mass value="1.5"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>'
arm 4 0.5 0.001 "$heavy" '<dynamics damping="0.2" friction="0.1"/>' >truth.urdf
arm 3 0.1 0.0005 '' '' >plain.urdf
log truth.urdf 2 2 0 0 >arm.csv
gives 0 identify plain.urdf arm.csv --friction --rotor -o found.urdf
holds 'no warning' [ ! -s err ]
holds 'the copy has the forces of the arm that moved' same found.urdf 2 1
grep -o '<!--.*-->' plain.urdf >comments
grep -o '<!--.*-->' found.urdf | diff comments - >differ
verdict $? 'its comments stay'
holds 'the visual shape and its material' grep -q '<visual><geometry><box size="0.1 0.1 0.4"/></geometry><material name="blue"/></visual>' found.urdf
holds 'odd spacing' grep -q "<origin   xyz=" found.urdf
holds 'a motor of its own for the elbow' grep -q '<transmission name="elbow">' found.urdf
# Another format is a new file, with the shapes.
try identify plain.urdf arm.csv --friction --rotor -o found.xml
holds 'MJCF with the shape' grep -q '<geom class="visual" type="box" size="0.05 0.05 0.2"' found.xml
gives 0 identify plain.urdf arm.csv --friction --rotor --lock elbow -o locked.urdf
holds 'a robot with a locked joint is a new file' [ "$(grep -c '<!--' locked.urdf)" -eq 0 ]

# MJCF: attributes change, what Appell does not know stays.
cat >plain.xml <<'END'
<mujoco model="arm">
  <!-- by hand -->
  <option timestep="0.001"/>
  <default><joint damping="0.1"/></default>
  <worldbody>
    <light pos="0 0 3"/>
    <body name="upper" pos="0 0 1">
      <inertial pos="0 0 0.2" mass="3" fullinertia="0.1 0.1 0.1 0.01 0 0"/> <!-- guessed -->
      <joint name="shoulder" axis="0 1 0"   range="-90 90"/>
      <body name="lower" pos="0 0 0.4">
        <joint axis="1 0 0" armature="0.5"/>
        <geom type="box" size="0.1 0.1 0.1"/>
      </body>
    </body>
  </worldbody>
  <actuator><position joint="shoulder" kp="100"/></actuator>
  <sensor><jointpos joint="shoulder"/></sensor>
</mujoco>
END
sed 's/mass="3"/mass="4"/; s/damping="0.1"/damping="0.3" frictionloss="0.2"/; s/armature="0.5"/armature="0.7"/; s/size="0.1/size="0.12/' plain.xml >truth.xml
log truth.xml 2 2 0 0 >mjcf.csv 2>err
"$APPELL" identify plain.xml mjcf.csv --friction --rotor -o found.xml >out 2>err
verdict $? 'MJCF is identified'
holds 'the copy has the forces of the arm that moved' same found.xml 2 1
for kept in '<!-- by hand -->' '<!-- guessed -->' 'timestep="0.001"' '<position joint="shoulder" kp="100"/>' \
  '<sensor><jointpos joint="shoulder"/></sensor>' 'axis="0 1 0"   range="-90 90"' '<light pos="0 0 3"/>'; do
  holds "it has $kept" grep -qF "$kept" found.xml
done
holds 'no full tensor is left' [ "$(grep -c fullinertia found.xml)" -eq 0 ]

finish
