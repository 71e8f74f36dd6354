#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The verb view: the document in the page, which meshes get into it, usage. test_page.sh opens the
# page in a browser. APPELL is the path of the command.
set -u
. "$(dirname "$0")/cli/checks.sh"

# decoded KEY: the text of the last document under that key, decoded.
decoded() { sed -n "s/^ *\"$1\": \"\([^\"]*\)\",\{0,1\}\$/\1/p" out | base64 -d; }

cp "$here/models/two_link.urdf" arm.urdf
gives 0 view arm.urdf --data
decoded text >text.urdf
holds 'the page gets the bytes of the file' cmp -s text.urdf arm.urdf
holds 'and its name' grep -q '"file": "arm.urdf"' out
gives 0 view puma600 --data
holds 'a built-in robot goes by its name' grep -q '"builtin": "puma600"' out
holds 'without its text' [ -z "$(decoded text)" ]
gives 0 view --data
holds 'an empty page has no robot' [ -z "$(grep -e '"text"' -e '"builtin"' out)" ]

# A robot that is no longer what its file says goes as it is, and computes the same.
gives 0 view --lock elbow=0.3 --floating arm.urdf --data
decoded text >locked.yaml
holds 'a locked robot becomes YAML' grep -q '"file": "arm.yaml"' out
holds 'which is not made floating again' grep -q '"floating": false' out
echo '0 0 0.5 0 0 0 1 0.7' >state
gives 0 eval gravity locked.yaml state
cp out own
gives 0 eval gravity --lock elbow=0.3 --floating arm.urdf state
holds 'with the same dynamics' cmp -s own out
cat >part.xml <<'END'
<mujoco><body name="b"><joint name="j" axis="0 1 0"/><inertial mass="1" pos="0.1 0 0" diaginertia="1 1 1"/></body></mujoco>
END
echo '<mujoco model="two"><worldbody><include file="part.xml"/></worldbody></mujoco>' >whole.xml
gives 0 view whole.xml --data
decoded text >whole.yaml
holds 'MJCF in several files becomes one text' grep -q 'name: b' whole.yaml

# Meshes: those of the robot's folder, and of one that is allowed.
mkdir -p robot/meshes other
solid='solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n'
# shellcheck disable=SC2059 # the text is the format
printf "$solid" >robot/meshes/a.stl
cp robot/meshes/a.stl other/b.stl
cat >robot/r.urdf <<'END'
<robot name="r"><link name="l">
<visual><geometry><mesh filename="meshes/a.stl"/></geometry></visual>
<visual><geometry><mesh filename="../other/b.stl"/></geometry></visual>
</link></robot>
END
try view robot/r.urdf --data
holds 'a mesh of its folder is in the page' grep -q '"name": "meshes/a.stl"' out
holds 'one of another folder is not' [ -z "$(grep '"name": "../other/b.stl"' out)" ]
holds 'and that is said' grep -q 'warning: mesh "../other/b.stl" is not drawn' err
gives 0 view robot/r.urdf --meshes other --data
holds 'unless the folder is allowed' grep -q '"name": "../other/b.stl"' out

gives 0 view arm.urdf -o page.html
holds 'the page has one place with the robot' [ "$(grep -c '<script id="robot" type="application/json">{' page.html)" -eq 1 ]
refuses 2 'where does the page go' view arm.urdf
refuses 2 'does not end in .html' view arm.urdf -o page.txt
refuses 2 'No such file' view absent.urdf -o absent.html
holds 'a page that cannot be made is not there' [ ! -e absent.html ]
refuses 2 'too many' view arm.urdf arm.urdf -o page.html

# The doctor's map: the same page, with the findings. Of a file that is refused, its text.
gives 0 lint --html arm.urdf -o map.html
holds 'the page of the doctor has findings' grep -q '"findings": \[' map.html
sed 's/<mass value="1.2"/<mass value="-1.2"/; s/name="elbow"/name="\&lt;b\&gt;"/' arm.urdf >wrong.urdf
try lint --html wrong.urdf -o wrong.html
holds 'errors are told by the exit status, too' [ "$rc" -eq 1 ]
holds 'a file that is refused is in the page' grep -q '"text": "' wrong.html
holds 'with what is wrong' grep -q '"rule": "mass-negative"' wrong.html
holds 'and names are no HTML' [ -z "$(grep '"subject": "<b>' wrong.html)" ]
try lint --html --strict --quick puma600 -o builtin.html
holds 'a built-in robot goes by its name there, too' grep -q '"builtin": "puma600"' builtin.html
refuses 2 'where does the page go' lint --html arm.urdf
refuses 2 'does not end in .html' lint --html arm.urdf -o page.txt
refuses 2 'exclude each other' lint --html --json arm.urdf -o page.html
finish
