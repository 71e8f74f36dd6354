#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell convert --inertia-from-mesh and appell lint --fix: tables, JSON, warnings, the file changed.
set -u
LC_ALL=C
export LC_ALL
# shellcheck source=tests/cli/checks.sh
. tests/cli/checks.sh

cube='v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
f 5 6 7 8'
printf '%s\nf 4 3 2 1\n' "$cube" >cube.obj
printf '%s\n' "$cube" >open.obj
cat >arm.urdf <<'END'
<?xml version="1.0"?>
<!-- a remark -->
<robot name="arm">
  <link name="base">
    <visual><geometry><box size="0.2 0.2 0.1"/></geometry></visual>
  </link>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0"/>
      <mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
    <visual>
      <origin xyz="0 -0.05 -0.05"/>
      <geometry><mesh filename="cube.obj" scale="0.4 0.1 0.1"/></geometry>
    </visual>
  </link>
  <link name="lower">
    <inertial><mass value="0.5"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>
    <visual><geometry><mesh filename="open.obj" scale="0.1 0.1 0.1"/></geometry></visual>
    <visual><geometry><sphere radius="0.05"/></geometry></visual>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="2"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="2"/>
  </joint>
</robot>
END

# ---- convert ------------------------------------------------------------------------------------

try convert --inertia-from-mesh 1000 arm.urdf dense.urdf
holds 'it is done' test "$rc" -eq 0
holds 'file above shapes' grep -q '^ *upper *file *2 *0.1 *0 *0 *1 *1 *1 *inertia-placeholder$' out
holds 'box formula' grep -q '^ *visual *4 *0.2 *0 *0 *0.006667 *0.05667 *0.05667 *0.004 m3$' out
holds 'openness' grep -q 'arm.urdf:18: warning: link "lower": open.obj is open: 4 of 17 edges .*gap 0.2' err
holds 'overlap' grep -q '2 shapes overlap: 4 %' err
holds 'one warning' test "$(wc -l <err)" -eq 1
holds 'the file has it' grep -q '<mass value="4[.0-9]*"/>' dense.urdf
gives 0 lint dense.urdf
try convert --inertia-from-mesh 9kg --links base,upper arm.urdf of.yaml
holds 'a mass is shared by volume' test "$(grep -c '^ *visual *4.5 ' out)" -eq 2
try convert --json --inertia-from-mesh mass --links all arm.urdf of.urdf
holds 'JSON' json
holds 'what stays is said' grep -q 'link "base": its inertia stays as it is: it has no mass' err
holds 'in JSON, too' grep -q '"problem": "it has no mass to keep' out
try convert --inertia-from-mesh mass --links lower --shapes collision arm.urdf of.urdf
holds 'no such shapes' grep -q 'link "lower": .*no collision shape' err
holds 'none computed' grep -q '^no inertia was computed' out
refuses 2 "there is no link \"tool\"" convert --inertia-from-mesh 1000 --links tool arm.urdf x.urdf
refuses 2 "'dense'.*kg/m3" convert --inertia-from-mesh dense arm.urdf x.urdf
refuses 2 'kg/m3' convert --inertia-from-mesh -5 arm.urdf x.urdf
refuses 2 'kg/m3' convert --inertia-from-mesh 0kg arm.urdf x.urdf
refuses 2 'without --inertia-from-mesh' convert --links all arm.urdf x.urdf
refuses 2 'no shapes' convert --inertia-from-mesh 1000 puma600 x.urdf
holds 'nothing written' test ! -e x.urdf

# An inertia that is refused elsewhere can be replaced.
sed 's/ixx="1" ixy/ixx="-1" ixy/' arm.urdf >negative.urdf
try convert negative.urdf x.urdf
holds 'refused as it is' test "$rc" -eq 2
try convert --inertia-from-mesh mass negative.urdf x.urdf
holds 'but not with another' test "$rc" -eq 0

# A visual mesh that cannot be read: the collision shape takes its place.
sed 's/cube.obj/cube.ply/; s!</link>!<collision><geometry><box size="1 1 1"/></geometry></collision></link>!' \
  arm.urdf >other.urdf
touch cube.ply
try convert --inertia-from-mesh mass other.urdf x.urdf
holds 'why not the visual ones' grep -q 'link "upper": not its visual shapes: cube.ply' err
holds 'from collision' grep -q '^ *collision *2 ' out

# ---- lint --fix ---------------------------------------------------------------------------------

cp arm.urdf fixed.urdf
try lint --fix fixed.urdf
holds 'no error is left' test "$rc" -eq 0
holds 'the table' grep -q '^ *upper *file ' out
holds 'then the findings' grep -q '^fixed.urdf: 0 errors' out
diff arm.urdf fixed.urdf >changes
holds 'only inertials change' test "$(grep '^[<>]' changes | grep -cv 'iner\|origin\|mass')" -eq 0
holds 'the remark stays' grep -qx '<!-- a remark -->' fixed.urdf
holds 'indented as before' grep -qx '    <inertial>' fixed.urdf
holds 'a link without mass stays' sh -c 'sed -n "/\"base\"/,/link>/p" fixed.urdf | grep -qv inertial'
try lint --fix --density 1000 --json fixed.urdf
holds 'JSON with what was fixed' json
holds 'the base, too' sh -c 'sed -n "/\"base\"/,/link>/p" fixed.urdf | grep -q "<mass value=\"4.*\"/>"'
cp fixed.urdf again.urdf
gives 0 lint --fix again.urdf
holds 'nothing more to do' cmp -s fixed.urdf again.urdf
awk '{ printf "%s\r\n", $0 }' arm.urdf >dos.urdf
try lint --fix --density 1000 dos.urdf
holds 'lines end as before' test "$(grep -c . dos.urdf)" -eq "$(grep -c "$(printf '\r')" dos.urdf)"
try convert arm.urdf arm.yaml
refuses 2 'only URDF files' lint --fix arm.yaml
refuses 2 'whole robot file' lint --fix puma600
refuses 2 'without --fix' lint --density 3 arm.urdf
refuses 2 'density' lint --fix --density 0 arm.urdf

# A file that plain lint goes on with is corrected: an inertia that is not there, or not a number.
small='<robot name="r"><link name="a"><inertial><mass value="2"/>INERTIA</inertial><visual><geometry>
<box size="1 1 1"/></geometry></visual></link><joint name="j" type="twisting"/></robot>'
for inertia in '' '<inertia ixx="1" iyy="x"/>'; do
  printf '%s\n' "$small" | sed "s|INERTIA|$inertia|" >part.urdf
  gives 1 lint part.urdf
  gives 1 lint --fix part.urdf
  holds "computed, not '$inertia'" grep -q 'a *file *2 .*missing' out
  holds 'in the file' grep -q '<inertia ixx="0.33333333333333.*" ixy="0" ' part.urdf
  holds 'the rest is told' grep -q 'joint-type' out
done
printf '<robot name="r"><link name="a">' >cut.urdf
gives 1 lint --fix cut.urdf
holds 'no XML' grep -q 'cut.urdf:1: warning: nothing is corrected' err

# What cannot be changed in place stays as it is.
awk '{ for (i = 1; i <= length($0); i++) printf "%s%c", substr($0, i, 1), 0; printf "\n%c", 0 }' \
  arm.urdf >wide.urdf
(printf '\377\376' && cat wide.urdf) >marked.urdf
sed 's/version="1.0"/version="1.0" encoding="ISO-8859-1"/' arm.urdf >latin.urdf
cp arm.urdf locked.urdf
chmod 444 locked.urdf
for file in marked latin locked; do
  cp "$file.urdf" before
  case $file in
  marked) why='marked.urdf:1: a file in UTF-16' ;;
  latin) why='latin.urdf:1: a file in ISO-8859-1' ;;
  locked) why='locked.urdf: cannot write: the file is read-only' ;;
  esac
  try lint --fix "$file.urdf"
  holds "$file: refused" grep -q "$why" err
  holds "$file: and not changed" cmp -s before "$file.urdf"
done

# Two links of one name: each has its own.
sed 's!</robot>!<link name="upper"/></robot>!' arm.urdf >same.urdf
try lint --fix same.urdf
holds 'the first one is corrected' grep -q '<inertia ixx="0.0033' same.urdf
holds 'the second stays' grep -q '<link name="upper"/></robot>' same.urdf

# Meshes beyond the robot's folder are not read, whichever way leads there.
mkdir -p robot/meshes elsewhere
cp cube.obj elsewhere/secret.obj
ln -s ../../elsewhere/secret.obj robot/meshes/link.obj
for mesh in ../elsewhere/secret.obj meshes/link.obj; do
  sed "s|cube.obj|$mesh|" arm.urdf >robot/arm.urdf
  try convert --inertia-from-mesh mass --links upper robot/arm.urdf x.urdf
  holds "$mesh: named" grep -q "\"$mesh\" leads to .*elsewhere/secret.obj, which is no mesh" err
  holds "$mesh: not weighed" grep -q 'no inertia was computed' out
  holds "$mesh: no option that convert lacks" sh -c '! grep -q -e --meshes err'
done

# ---- convert: the input stays, meshes are found again ---------------------------------------------

cp arm.urdf own.urdf
ln -s own.urdf linked.urdf
ln own.urdf hard.urdf
for name in own.urdf ./own.urdf linked.urdf hard.urdf; do
  refuses 2 'is the file that is read' convert own.urdf "$name"
done
holds 'the robot is as it was' cmp -s arm.urdf own.urdf
mkdir -p new/deep
cp cube.obj robot/meshes/cube.obj
sed 's|cube.obj|meshes/cube.obj|; s|open.obj|../open.obj|' arm.urdf >robot/arm.urdf
for target in new/arm.urdf new/deep/arm.yaml robot/meshes/arm.urdf new/arm.xml x.urdf; do
  try convert robot/arm.urdf "$target"
  holds "$target: written" test "$rc" -eq 0
  try lint "$target"
  holds "$target: its meshes are there" sh -c '! grep -q mesh-missing out'
done
holds 'as seen from there' grep -q '"../robot/meshes/cube.obj"' new/arm.urdf
holds 'a folder further' grep -q '"../../robot/meshes/cube.obj"' new/deep/arm.yaml
holds 'below it' grep -q '"robot/meshes/cube.obj"' x.urdf
holds 'above it' grep -q '"open.obj"' x.urdf
try convert robot/arm.urdf robot/same.urdf
holds 'in the same folder names stay' grep -q '"../open.obj"' robot/same.urdf

finish
