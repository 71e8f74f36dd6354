#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files made to harm who uses them, through the command: what a report may contain, names in outputs, full disks,
# files whose reading must not take longer than they are long. APPELL is the path of the command. Prints one line per
# check, ends with 1 if one failed.
set -u
. "$(dirname "$0")/cli/checks.sh"

# shellcheck disable=SC2317 # called by holds
has() { grep -q -e "$1" "$2"; }
# shellcheck disable=SC2317
lacks() { ! grep -q -e "$1" "$2"; }

# robot MESH: a robot that swings and looks like that mesh.
robot() {
  cat <<END
<robot name="swing"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<visual><geometry><mesh filename="$1"/></geometry></visual></link>
<joint name="pivot" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>
END
}
scenario() { printf 'appell-scenario: 1\nrobot: %s\nduration: 0.1\n...\n' "$1"; }

# ---- reports and the files of who makes them ----------------------------------------------------

mkdir -p robots/arm private
printf 'my secret, long enough to be found in base64' >private/secret
cp private/secret private/part.stl
secret=$(base64 <private/secret | tr -d '\n' | cut -c 4-40)
printf 'solid honest' >robots/arm/honest.stl
honest=$(base64 <robots/arm/honest.stl | cut -c 4-12)
ln -s ../../private/secret robots/arm/key.stl
ln -s ../../private/part.stl robots/arm/part.stl
ln -s ../../private robots/arm/folder
ln -s robots checkout

# embeds MESH: make a run of a robot with that mesh, and its report.
embeds() {
  robot "$1" >robots/arm/robot.urdf
  scenario robots/arm/robot.urdf >run.yaml
  "$APPELL" simulate run.yaml -o run.csv --quiet || exit 1
  shift
  try report run.csv --data "$@"
}

embeds honest.stl
holds 'a mesh beside the robot is in the report' has "$honest" out
for mesh in key.stl part.stl folder/part.stl ../../private/part.stl "file://$tmp/private/part.stl" \
  "$tmp/private/part.stl" "package://private/part.stl" "package://arm/../../private/part.stl"; do
  embeds "$mesh"
  holds "a mesh elsewhere is not: $mesh" lacks "$secret" out
  holds 'but named' has "warning: mesh \"$mesh\" is not drawn: .* leads to .*private/" err
done
embeds part.stl --meshes private
holds 'unless its folder is allowed' has "$secret" out
embeds key.stl --meshes private
holds 'and it has the name of a mesh' lacks "$secret" out
embeds honest.stl
scenario checkout/arm/robot.urdf >run.yaml
"$APPELL" simulate run.yaml -o run.csv --quiet || exit 1
try report run.csv --data
holds 'a checkout behind a link works' has "$honest" out

# A home folder is no package, whatever lies in it. home MESH [VARIABLE=VALUE]...: a robot in a folder of downloads.
mkdir -p home/Downloads/arm home/work
cp private/part.stl home/work/part.stl
cp private/part.stl home/Downloads/part.stl
home() {
  robot "$1" >home/Downloads/arm/robot.urdf
  scenario arm/robot.urdf >home/Downloads/run.yaml
  "$APPELL" simulate home/Downloads/run.yaml -o home/Downloads/run.csv --quiet || exit 1
  shift
  env HOME="$tmp/home" "$@" "$APPELL" report home/Downloads/run.csv --data >out 2>err
}

for mark in .git package.xml model.config; do
  : >"home/$mark"
  home ../../work/part.stl
  holds "a home folder with $mark is no package" lacks "$secret" out
  rm "home/$mark"
done
printf '<package><name>mine</name></package>' >home/package.xml
home package://mine/work/part.stl
holds 'nor one with a package.xml of that name' lacks "$secret" out
rm home/package.xml
home package://Downloads/part.stl
holds 'a folder above the robot is no package by its name' lacks "$secret" out
: >home/Downloads/package.xml
home package://Downloads/part.stl
holds 'but by its package.xml' has "$secret" out
rm home/Downloads/package.xml
home package://work/part.stl
holds 'a folder beside one above is no package' lacks "$secret" out
home package://work/part.stl ROS_PACKAGE_PATH="$tmp/home"
holds 'unless the environment says so' has "$secret" out

# A log that claims to have been made in another folder.
mkdir received
robot part.stl >received/robot.urdf
printf '# scenario file: %s\n' "$tmp/private/run.yaml" >received/run.scenario.yaml
scenario ../received/robot.urdf >>received/run.scenario.yaml
printf 't,q.pivot\n0,0\n1,1\n' >received/run.csv
try report received/run.csv --data
holds 'a log does not choose the folder of its meshes' lacks "$secret" out
holds 'its robot does' has 'mesh "part.stl" is not drawn: there is no file .*received/part.stl' err

# A log leads to a robot below its own folder, or to one that a scenario of the user names: the file at the place that
# the log says, with the text that the log has.
printf '<robot name="hidden"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<visual><geometry><mesh filename="part.stl"/></geometry></visual></link>
<joint name="pivot" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>' >private/hidden.urdf
there=$(cd private && pwd -P)
# leads WHAT PLACE ROBOT: the robot is not in the page of a log with that scenario.
leads() {
  { [ -z "$2" ] || printf '# scenario file: %s\n' "$2"; scenario "$3"; } >received/run.scenario.yaml
  try report received/run.csv --data
  holds "a log does not lead to $1" lacks '"hidden"' out
  holds 'nor to its meshes' lacks "$secret" out
  holds 'which is said' has 'no robot is drawn: line 2: .*--scenario FILE' err
}
leads 'an absolute path' '' "$there/hidden.urdf"
leads 'a folder beside its own' '' ../private/hidden.urdf
leads 'the folder of an invented scenario' "$there/run.yaml" hidden.urdf
scenario other.urdf >private/run.yaml
leads 'a scenario with another text' "$there/run.yaml" hidden.urdf
scenario hidden.urdf >private/run.yaml
leads 'a scenario by way of a link' "/proc/self/cwd/private/run.yaml" hidden.urdf
ln -s ../private/hidden.urdf received/link.urdf
leads 'a link out of its folder' '' link.urdf
mkfifo received/pipe.urdf
leads 'a pipe' '' pipe.urdf
holds 'of which is said what it is' has 'a pipe or a device' err
users=${HOME-}
export HOME="$tmp/received"
leads 'files of a home folder' '' robot.urdf
HOME=$users
mkdir runs
for format in csv h5; do
  "$APPELL" simulate private/run.yaml -o runs/run.$format --quiet 2>err || continue # built without HDF5
  try report runs/run.$format --data
  holds "$format: a log leads to the robot of the user's scenario" has "$secret" out
  echo '# later' >>private/run.yaml
  try report runs/run.$format --data
  holds "$format: not of one that was changed" lacks '"hidden"' out
  holds "$format: which is said" has "the log's scenario is not that of .*private/run.yaml.*--scenario FILE" err
  try report runs/run.$format --data --scenario private/run.yaml
  holds "$format: unless the user names it" has "$secret" out
  scenario hidden.urdf >private/run.yaml
done
sed 's|</robot>|<link name="hand"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>\
</inertial></link><joint name="wrist" type="continuous"><parent link="arm"/><child link="hand"/></joint></robot>|' \
  private/hidden.urdf >private/two.urdf
scenario two.urdf >private/run.yaml
"$APPELL" simulate private/run.yaml --lock wrist=0.1 -o runs/run.csv --quiet || exit 1
try report runs/run.csv --data
holds 'keys that options of the run stand for are no change' has "$secret" out
sed 's|^duration.*|duration: 0.2|' runs/run.scenario.yaml >changed
cp changed runs/run.scenario.yaml
try report runs/run.csv --data
holds 'others are' lacks "$secret" out
mv received/run.csv received/piped.csv
mkfifo received/piped.scenario.yaml received/piped.events.csv
timeout 10 "$APPELL" report received/piped.csv --data >out 2>err
holds 'pipes beside a log are not read' [ $? -eq 0 ]
mkfifo pipe.yaml pipe.csv
printf 'appell-scenario: 1\nrobot: pipe.yaml\nduration: 0.1\n...\n' >run.yaml
refuses 2 'run.yaml:2: robot: pipe.yaml: a pipe or a device' simulate run.yaml
printf 'appell-scenario: 1\nrobot: scara\nduration: 0.1\nforces: pipe.csv\n...\n' >run.yaml
refuses 2 'run.yaml:4: .*a pipe or a device' simulate run.yaml
mkfifo user.urdf
robot honest.stl >user.urdf &
gives 0 info user.urdf

# ---- names --------------------------------------------------------------------------------------

for character in 202e 2028 2066 009b; do
  name=$(printf 'a\\u%s' "$character")
  printf 'appell: 1\nname: "%s"\nbodies:\n- name: a\n  joint: {type: revolute}\n...\n' "$name" >name.yaml
  refuses 2 'name.yaml:2: name has a control character' info name.yaml
  printf '<robot name="r"><link name="a&#x%s;"/></robot>' "$character" >name.urdf
  refuses 2 'name.urdf:1: .*has a control character' info name.urdf
done
printf '<?xml version="1.0" encoding="ISO-8859-1"?>\n<robot name="r\351"><link name="a\351"/></robot>' >latin.urdf
for format in --json --sarif; do
  try lint "$format" latin.urdf
  holds "Latin-1 becomes UTF-8: lint $format" iconv -f UTF-8 -t UTF-16 out
done
gives 0 info --json latin.urdf
cp out info
holds 'Latin-1 becomes UTF-8: info' has "$(printf 'r\303\251')" info
printf 't,q\377\n0,1\n1,2\n' >bytes.csv
try report bytes.csv --data --title "$(printf 'x\377')"
holds 'bytes that are no UTF-8 do not get into a report' iconv -f UTF-8 -t UTF-16 out

# Names of joints that no CSV file can hold.
for name in '#1' '&quot;a&quot;' 'a b' 'a,b' '=1' "'x" 'a/b'; do
  robot honest.stl | sed "s|pivot|$name|" >robots/arm/robot.urdf
  scenario robots/arm/robot.urdf >run.yaml
  for format in csv h5; do
    "$APPELL" simulate run.yaml -o run.$format --quiet 2>err || continue # built without HDF5
    try report run.$format --data
    holds "$format: the columns of a log are those of the robot: $name" lacks 'do not match' err
  done
done
cat >twins.urdf <<END
<robot name="twins"><link name="base"/>
$(for name in 'a b' a_b; do
  echo "<link name='$name'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>
<joint name='$name' type='continuous'><parent link='base'/><child link='$name'/></joint>"
done)</robot>
END
scenario twins.urdf >twins.yaml
for format in csv h5; do
  "$APPELL" simulate run.yaml -o run.$format --quiet 2>err || continue # built without HDF5
  refuses 2 'joints "a b" and "a_b" would share the column q.a_b' simulate twins.yaml -o twins.$format
done
awk 'BEGIN { print "t,x"; for (i = 0; i < 9; i++) print i ",1" }' >long.csv
try report long.csv --data --rows 5
holds 'rows that are left out are counted' has 'of 9 rows the page shows one in 2 ' err

# In a Latin-1 locale bytes of UTF-8 are letters and blanks, and numbers may have commas.
for locale in de_DE.ISO-8859-1 de_DE.UTF-8 C; do
  LC_ALL=$locale "$APPELL" info --json latin.urdf >other
  holds "the locale changes nothing: $locale" cmp -s info other
done

# ---- full disks ---------------------------------------------------------------------------------

robot honest.stl >robots/arm/robot.urdf
scenario robots/arm/robot.urdf >run.yaml
for format in csv h5; do
  mkdir disk
  "$APPELL" simulate run.yaml -o disk/run.$format --quiet 2>err || { rm -r disk && continue; } # built without HDF5
  cp disk/run.$format whole
  # The limit holds for every file, also for what would take the message: hence the pipe.
  (ulimit -f 0 && "$APPELL" simulate run.yaml -o disk/run.$format --quiet) 2>&1 | cat >err
  holds "$format: a full disk is an error" one_line
  holds "$format: which is said" has 'File too large' err
  holds "$format: the older run is there" cmp -s disk/run.$format whole
  holds "$format: and nothing else" sh -c '! ls disk | grep part'
  rm -r disk
done

# Room for a part of 1 MB of results, and none.
awk 'BEGIN { for (i = 0; i < 60000; i++) print i * 1e-3, 1 }' >states
for name in tau.txt tau.npy tau.h5:/tau; do
  for room in 900 0; do
    mkdir disk
    (ulimit -f $room && "$APPELL" eval gravity ascher2 states -o disk/$name && echo written) 2>&1 | cat >err
    holds "$name: a full disk is an error" one_line
    holds "$name: which is said" has 'File too large\|built without HDF5' err
    holds "$name: and no file is there" nothing_left disk
    rm -r disk
  done
done

# ---- sizes --------------------------------------------------------------------------------------

# Each file is large in one way. A reader of quadratic time would need hours for these, so that the limit of a minute
# says nothing about the speed of a machine.
soon() {
  what=$1
  shift
  timeout 60 "$APPELL" "$@" >out 2>err
  holds "in time: $what" [ $? -le 2 ]
}

awk 'BEGIN { print "<robot name=\"r\"><link name=\"l0\"/>"
  for (i = 1; i <= 200000; i++) printf "<link name=\"l%d\"/><joint name=\"j%d\" type=\"fixed\"><parent link=\"l0\"/><child link=\"l%d\"/></joint>\n", i, i, i
  print "</robot>" }' >wide.urdf
soon '200 000 links on one' info --json wide.urdf
awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "<a>" }' >deep.urdf
soon 'a million elements in each other' info deep.urdf
awk 'BEGIN { printf "appell: "; for (i = 0; i < 1000000; i++) printf "[" }' >deep.yaml
soon 'a million lists in each other' info deep.yaml
awk 'BEGIN { print "a0: &a0 [x, x]"; for (i = 1; i < 60; i++) printf "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1 }' >laughs.yaml
soon 'aliases of aliases' info laughs.yaml
awk 'BEGIN { printf "<!DOCTYPE r [<!ENTITY a \"ha\">"; for (i = 1; i < 60; i++) printf "<!ENTITY a%d \"&a%s;&a%s;\">", i, (i == 1 ? "" : i - 1), (i == 1 ? "" : i - 1); print "]><robot name=\"&a59;\"/>" }' >laughs.urdf
soon 'entities of entities' info laughs.urdf
awk 'BEGIN { for (i = 0; i < 10000000; i++) printf "a" }' >long
{ printf '<robot name="'; cat long; printf '"><link name="a"/></robot>'; } >long.urdf
soon 'a name of ten million letters' info long.urdf

# ---- logs for identify --------------------------------------------------------------------------

# motion ROWS STEP FORCE: positions, velocities and accelerations of two joints and that force.
motion() {
  awk -v n="$1" -v h="$2" -v f="$3" 'BEGIN {
    print "t,q.joint1,q.joint2,v.joint1,v.joint2,a.joint1,a.joint2,tau.joint1,tau.joint2"
    for (i = 0; i < n; i++) {
      x = 0.05 * i
      printf "%.17g,%g,%g,%g,%g,%g,%g,%s,%s\n", i * h, sin(x), cos(2 * x), cos(x), -2 * sin(2 * x), -sin(x), -4 * cos(2 * x), f, f
    }
  }'
}
motion 200 0.05 0 >zero.csv
motion 200 0.05 1e-200 >tiny.csv
for log in zero tiny; do
  "$APPELL" identify ascher2 $log.csv >out 2>err
  holds "forces of a dead sensor are doubted, $log" [ $? -eq 2 ]
  holds 'by name' has 'tau.joint1 .* is the column dead' err
  "$APPELL" identify ascher2 $log.csv --trust >out 2>err
  holds "and cannot be trusted, $log" [ $? -eq 1 ]
  holds 'as zeros' has 'the joint forces are zero everywhere' err
done
motion 200 0.05 1 | awk -F, -v OFS=, 'NR > 1 { $8 = $4; $9 = $5 } 1' >moving.csv
motion 20 1e-30 1 | cut -d, -f1-3,8-9 >fast.csv
refuses 2 'samples are too few for a filter' identify ascher2 fast.csv --filter
for cutoff in 8.6736173798840355e-17 4.3368086899420177e-17 1e-300; do
  refuses 2 'samples are too few for a filter' identify ascher2 moving.csv --filter --cutoff "$cutoff"
done

# ---- standard output, links ---------------------------------------------------------------------

echo 0.1 0.2 >states
echo first >appended
("$APPELL" eval gravity ascher2 states -o /dev/stdout; echo last) >>appended
holds '-o /dev/stdout keeps the file it goes to' [ "$(sed -n '1p;$p' appended | tr '\n' ' ')" = 'first last ' ]
ln -s nowhere dangling
refuses 2 'is a link to a file that does not exist' eval gravity ascher2 states -o dangling
holds 'and the link stays' [ -L dangling ]
finish
