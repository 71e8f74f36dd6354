#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The appell command: exit statuses, one-line errors, options, files that appear only when they are
# complete. APPELL is the path of the command. Prints one line per check, ends with 1 if one failed.
set -u
. "$(dirname "$0")/cli/checks.sh"

# column_line TEXT: the first line of out is TEXT.
column_line() { [ "$(head -n 1 out)" = "$1" ]; }

# shape ROWS COLUMNS: so many lines of numbers behind one line of names, all of the same width.
shape() {
  awk -v rows="$1" -v columns="$2" '
    NR == 1 { if ($1 != "#" || NF != columns + 1) exit bad = 1; next }
    NF != columns { exit bad = 1 }
    END { exit bad || NR != rows + 1 }' out
}

# close_to A B: the numbers of two outputs agree to 1e-12, the names do not count.
close_to() {
  paste -d' ' "$1" "$2" | awk '
    /^#/ { next }
    { n = NF / 2; for (k = 1; k <= n; k++) { d = $k - $(k + n); s = $k < 0 ? -$k : $k
        if (d > 1e-12 * (1 + s) || -d > 1e-12 * (1 + s)) exit bad = 1 } }
    END { exit bad || NR < 2 }'
}

# ---- robots and states --------------------------------------------------------------------------

# link NAME [MOMENT [MASS]]
link() {
  echo "<link name=\"$1\"><inertial><origin xyz=\"0.1 0.2 -0.5\"/><mass value=\"${3-2}\"/>"
  echo "<inertia ixx=\"${2-0.3}\" iyy=\"0.3\" izz=\"0.2\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
}

# joint NAME PARENT CHILD [INSIDE]
joint() {
  echo "<joint name=\"$1\" type=\"continuous\"><parent link=\"$2\"/><child link=\"$3\"/>"
  echo "<origin xyz=\"0 0 -1\"/><axis xyz=\"0 1 0\"/>${4-}</joint>"
}

robot() {
  echo '<?xml version="1.0"?>'
  echo '<robot name="pendulum">'
  echo '<link name="base"/>'
  cat
  echo '</robot>'
}

{
  link upper
  joint shoulder base upper '<dynamics damping="0.5" friction="0.1"/>'
  link lower
  joint 'el bow' upper lower
} | robot >arm.urdf

{
  link upper
  joint shoulder base upper
  link lower
  joint elbow upper lower '<mimic joint="shoulder" multiplier="2"/>'
} | robot >mimic.urdf

{
  link upper
  joint shoulder base upper
  echo '<link name="tip"/>'
  joint wrist upper tip
} | robot >massless.urdf

{ link upper 0.9; joint shoulder base upper; } | robot >triangle.urdf
{ link upper -0.9; joint shoulder base upper; } | robot >negative.urdf
{ link upper 0.3 -2; joint shoulder base upper; } | robot >negative_mass.urdf
robot </dev/null >rigid.urdf

printf '0.1 -0.2\n# a remark\n0.3,0.4\n1, 2\n' >q2.txt
printf '0.1 -0.2 0.5 0.6\n0.3,0.4,-1,2\n' >qv2.txt
printf '0.1 -0.2 0.5 0.6 1 2\n0.3,0.4,-1,2,3,-4\n' >qva2.txt
: >empty.txt
mkdir folder

# ---- files of other kinds ------------------------------------------------------------------------

for kind in urdf.xacro:xacro sdf:SDF usd:USD dae:mesh h5:data csv:data png:picture; do
  echo '<x/>' >"other.${kind%:*}"
  refuses 2 "other.${kind%:*}: .*${kind#*:}.*(" info "other.${kind%:*}"
done
for root in sdf:SDF mujocoinclude:MJCF COLLADA:mesh; do
  echo "<${root%:*}/>" >other.xml
  refuses 2 "other.xml:1: .*${root#*:}.*(" info other.xml
done
refuses 2 'this is a robot, not a scenario' simulate puma600
cp "$here/models/ball.yaml" "$here/models/point.yaml" .
for verb in 'eval inverse puma600 -' 'simulate ball.yaml' 'report other.csv' 'excite ascher2'; do
  # shellcheck disable=SC2086 # a list of words
  refuses 2 "x.png: '${verb%% *}' writes no picture (-o " $verb -o x.png
done
refuses 2 'x.png: -o names a folder' generate ascher2 -o x.png
refuses 2 'x.png: --plots names a folder' reproduce --plots x.png
holds 'no folder of that name' [ ! -e x.png ]
refuses 2 'two_link.urdf:1: this is a robot (URDF), not a scenario' simulate "$here/models/two_link.urdf"
refuses 2 'two_link.urdf:1: this is a robot (URDF), not a control scenario' control "$here/models/two_link.urdf"
printf 't,q\n0,1\n' >named.csv
refuses 2 'named.csv:1: "t" is not a number (this looks like a log' eval gravity ascher2 named.csv
refuses 2 'x.png: figures are written as SVG' bench --full --plot x.png
holds 'nothing is written' [ ! -e x.png ]

# ---- help and usage -----------------------------------------------------------------------------

gives 0
holds 'appell alone prints a short help' grep -q '^  eval QUANTITY MODEL FILE ' out
gives 0 --help
gives 0 --version
holds 'the version is one line' grep -qx 'appell [0-9]*\.[0-9]*\.[0-9]*' out
cp out version.out
for word in -v -V; do
  gives 0 $word
  holds "$word is --version" cmp -s out version.out
done
try
cp out help.out
for word in help -h --help; do
  gives 0 $word
  holds "$word is the short help" cmp -s out help.out
done
refuses 2 "did you mean 'eval'" help evl
refuses 2 'too many' help eval info
refuses 2 'too many' --version eval info
for verb in eval bench; do # tests/test_help.sh looks at all
  gives 0 $verb --help
  cp out verb.out
  gives 0 help $verb
  holds "help $verb is $verb --help" cmp -s out verb.out
done
gives 0 eval --help --bogus
refuses 2 "did you mean 'eval'" evl inverse puma600 q2.txt
refuses 2 "unknown verb 'integrate'" integrate
refuses 2 "unknown option '--verbose'" --verbose
refuses 2 "did you mean '--method'" eval inverse puma600 q2.txt --metod gibbs
refuses 2 "did you mean '--floating'" info --floatin puma600
refuses 2 "unknown option '-x'" info -x puma600
refuses 2 "try 'appell eval --help'" eval
refuses 2 'missing' eval inverse puma600
refuses 2 'missing' info
refuses 2 'too many' info puma600 ascher2
refuses 2 'too many' models puma600
refuses 2 'given twice' info --json --json puma600
refuses 2 'given twice' eval gravity ascher2 q2.txt -o a -o b
refuses 2 'needs a value' eval gravity ascher2 q2.txt -o
refuses 2 'needs a value' eval gravity --method --friction ascher2 q2.txt
refuses 2 'takes no value' info --json=yes puma600
refuses 2 'empty value' eval gravity ascher2 q2.txt --method=
refuses 2 "unknown quantity 'torque'" eval torque ascher2 q2.txt
refuses 2 "unknown method 'magic'.*inverse" eval inverse ascher2 qva2.txt --method magic
refuses 2 "unknown value of option --real 'f16'" eval gravity ascher2 q2.txt --real f16
refuses 2 'the quantity comes first.*eval gravity puma600' eval puma600 gravity q2.txt
for gravity in 1,2 1,2,3,4 1,2,x nan,0,0 0,0,1e999 1,,2 '1,2,' 0x10,0,0 ' 1,2,3' '1, 2,3' '1,2,3 ' \
  1e,0,0 .,0,0 infinity,0,0 +-1,0,0; do
  refuses 2 '3 numbers' eval gravity ascher2 q2.txt --gravity "$gravity"
done
refuses 2 'X,Y,Z in one word with commas' eval gravity ascher2 q2.txt --gravity 0 0 -9.81
refuses 2 'X,Y,Z in one word with commas' eval --gravity '1 2 3' gravity ascher2 q2.txt
gives 0 eval gravity ascher2 q2.txt --gravity +1,.5e-1,-2.E+0

# ---- eval ---------------------------------------------------------------------------------------

gives 0 eval inverse ascher2 qva2.txt
cp out inverse.out
holds 'columns are named after the joints' column_line '# tau.joint1 tau.joint2'
holds 'one line per state' shape 2 2
gives 0 eval forward ascher2 qva2.txt
holds 'columns of forward' column_line '# a.joint1 a.joint2'
gives 0 eval inertia ascher2 q2.txt
holds 'columns of inertia' column_line '# M[0,0] M[0,1] M[1,0] M[1,1]'
holds 'a remark in the state file is skipped' shape 3 4
gives 0 eval bias ascher2 qv2.txt
holds 'shape of bias' shape 2 2
gives 0 eval energy ascher2 qv2.txt
holds 'columns of energy' column_line '# kinetic potential'
gives 0 eval gravity ascher2 q2.txt
cp out gravity.out
holds 'shape of gravity' shape 3 2

sed '/^#/d; s/,/ /g; s/$/ 0 0 0 0/' q2.txt >still.txt
gives 0 eval inverse ascher2 still.txt
holds 'inverse at rest is gravity' close_to out gravity.out
gives 0 eval gravity ascher2 empty.txt
holds 'an empty state file gives the line of names' shape 0 2
gives 0 eval gravity ascher2 q2.txt --gravity 0,0,0
holds 'without gravity nothing has to be held' awk '/^#/ { next } { if ($1 != 0 || $2 != 0) exit 1 }' out
gives 0 eval --gravity 0,-9.81,0 gravity ascher2 q2.txt
holds 'a negative number in the value of an option' cmp -s out gravity.out
gives 0 eval gravity --gravity=0,-9.81,0 ascher2 q2.txt --real f64
holds 'options between and behind arguments' cmp -s out gravity.out
gives 0 eval --real=f64 -- gravity ascher2 q2.txt
holds 'after -- come arguments' cmp -s out gravity.out
gives 0 eval gravity ascher2 q2.txt --real f128
holds 'binary128 agrees' close_to out gravity.out
gives 0 eval gravity ascher2 q2.txt --real f32
holds 'shape of f32' shape 3 2
"$APPELL" eval gravity ascher2 - <q2.txt >out 2>err
holds 'a lone - is standard input' cmp -s out gravity.out
mkfifo pipe
cat q2.txt >pipe &
try eval gravity ascher2 pipe
wait $!
holds 'a pipe is a state file' cmp -s out gravity.out

# A program that sends one state and waits for the answer before it sends the next.
mkfifo answers
"$APPELL" eval gravity ascher2 - <pipe >answers 2>err &
command=$!
exec 3>pipe 4<answers
: >out
read -r line <&4 && echo "$line" >>out
for state in '0.1 -0.2' '0.3,0.4' '1, 2'; do
  printf '%s\n# a remark\n\n' "$state" >&3
  read -r line <&4 && echo "$line" >>out
done
holds 'every state is answered at once' cmp -s out gravity.out
printf '1 ' >&3
printf '2' >&3
exec 3>&-
wait $command
status=$?
cat <&4 >out
exec 4<&-
holds 'and what follows without an end of line' [ "$status $(cat out)" = "0 $(tail -n 1 gravity.out)" ]
mkfifo never
(exec 3<>never && printf '0,,0\n' >&3 && exec "$APPELL" eval gravity ascher2 - <never >out 2>err)
[ $? -eq 2 ] && one_line
verdict $? 'a bad state ends the command although its input goes on'
{ cat q2.txt && cat q2.txt; } | "$APPELL" eval gravity ascher2 - >out 2>err
{ cat gravity.out && sed 1d gravity.out; } >twice.out
holds 'states from two writers of a pipe' cmp -s out twice.out
printf '0.1 -0.2\r\n0.3\t0.4\n\n1 2' >dos.txt
try eval gravity ascher2 dos.txt
holds 'line ends of DOS, tabs, empty lines, no end of line at the end' cmp -s out gravity.out

default=$("$APPELL" methods | awk '$1 == "inverse" { print $2; exit }')
gives 0 eval inverse ascher2 qva2.txt --method "$default"
holds "--method $default is the default" cmp -s out inverse.out
inertia=$("$APPELL" methods | awk '$1 == "inertia" { print $2; exit }')
refuses 2 "$default" eval inverse ascher2 qva2.txt --method "$inertia"
"$APPELL" methods | awk 'NR > 1 { print $1, $2 }' >methods.txt
while read -r what method; do
  case $what in
    *inverse | *forward) states=qva2.txt ;;
    bias | energy) states=qv2.txt ;;
    *) states=q2.txt ;;
  esac
  gives 0 eval "$what" ascher2 $states --method "$method"
done <methods.txt

# ---- eval on files ------------------------------------------------------------------------------

gives 0 eval bias arm.urdf qv2.txt
cp out rigid.out
holds 'a blank in a name is no separator' column_line '# tau.shoulder tau.el_bow'
gives 0 eval bias arm.urdf qv2.txt --friction
paste -d' ' out rigid.out >both.out
holds 'friction is viscous and Coulomb, and only with --friction' awk '
  /^#/ { next }
  { d = $1 - $3 - (NR == 2 ? 0.35 : -0.6); e = $2 - $4
    if (d > 1e-12 || d < -1e-12 || e > 1e-12 || e < -1e-12) exit bad = 1 }
  END { exit bad || NR != 3 }' both.out
refuses 2 '^appell: q2.txt:1: ' eval gravity arm.urdf q2.txt --floating
echo '0 0 1 0 0 0 1 0.1 0.2' >free.txt
gives 0 eval gravity arm.urdf free.txt --floating
holds 'a free base comes first, by components' grep -q \
  '^# tau\.\([^ ]*\)\.fx tau\.\1\.fy tau\.\1\.fz tau\.\1\.tx tau\.\1\.ty tau\.\1\.tz tau\.shoulder' out
holds 'shape with a free base' shape 1 8
printf '0 0 1 0 0 0 1 0.1 0.2\n0 0 1 0 0 0 2 0.1 0.2\n' >long_quaternion.txt
refuses 2 '^appell: long_quaternion.txt:2: .*quaternion' eval gravity arm.urdf \
  long_quaternion.txt --floating
echo '0 0 1 0 0 0.70711 0.70711 0.1 0.2' >rounded_quaternion.txt
gives 0 eval gravity arm.urdf rounded_quaternion.txt --floating

echo 0.1 >q1.txt
gives 0 eval gravity mimic.urdf q1.txt
holds 'a mimic joint has no coordinate' shape 1 1
try eval gravity mimic.urdf q2.txt --ignore-mimic
holds '--ignore-mimic makes it independent' shape 3 2
holds '--ignore-mimic warns' grep -q '^appell: mimic.urdf:[0-9]*: warning: ' err

echo '0.1 0.2 0.3' >qvt1.txt
echo '0 0 1 0 0 0 1 0.1 0.2 0 0 0 0 0 0 0 0' >floating.txt
gives 0 eval forward mimic.urdf qvt1.txt
refuses 1 "^appell: mimic.urdf: .*'articulated-body' does not cover mimic joints.*'elbow'" \
  eval forward mimic.urdf qvt1.txt --method articulated-body
refuses 1 "'lagrange' does not cover this model (it needs only revolute and prismatic joints)" \
  eval bias arm.urdf floating.txt --floating --method lagrange
refuses 2 'expected 3 numbers (1 q, 1 v, 1 tau; 6 with --ignore-mimic), found 6' \
  eval forward mimic.urdf qva2.txt
refuses 2 'expected 1 number (1 q; 2 with --ignore-mimic), found 2' eval gravity mimic.urdf q2.txt

name=$(printf '%01500d' 0)
{
  link upper
  joint "$name.a" base upper
  link lower
  joint "$name.b" upper lower
} | robot >long.urdf
gives 0 eval gravity long.urdf q2.txt
holds 'long names are not cut' column_line "# tau.$name.a tau.$name.b"
# U+009B begins a control sequence, as ESC [ does: it never gets through to a terminal, whether the
# file is refused or not.
csi=$(printf '\302\233')
sed "s/el bow/el${csi}31mbow/" arm.urdf >c1.urdf
sed "s/type=\"continuous\"/type=\"$csi\"/" arm.urdf >c1_type.urdf
for arguments in 'eval bias c1.urdf qv2.txt' 'info c1.urdf' 'info --json c1.urdf' 'info c1_type.urdf' \
  "info $csi" "eval $csi arm.urdf q2.txt"; do
  # shellcheck disable=SC2086 # the words are arguments
  try $arguments
  holds "no control character of U+0080 to U+009F: $(echo "$arguments" | tr -d "$csi")" \
    sh -c "[ -s out -o -s err ] && ! grep -q '$csi' out err"
done

try eval gravity massless.urdf q2.txt
holds 'a massless leaf is warned about, once' [ "$rc $(grep -c 'warning: ' err)" = '0 1' ]
printf '0.1 0.2 0 0 0 0\n' >qvt2.txt
try eval forward massless.urdf qvt2.txt
holds 'a singular inertia matrix ends with 1 and names the line' \
  sh -c "[ $rc -eq 1 ] && grep -v warning err | grep -q '^appell: qvt2.txt:1: .*singular'"
try eval gravity triangle.urdf q1.txt
holds 'the triangle inequality is warned about with its line' \
  sh -c "[ $rc -eq 0 ] && grep -q '^appell: triangle.urdf:[0-9]*: warning: ' err"
refuses 2 '^appell: negative.urdf:[0-9]*: ' eval gravity negative.urdf q1.txt
refuses 2 '^appell: negative_mass.urdf:[0-9]*: ' eval gravity negative_mass.urdf q1.txt
refuses 2 'nothing moves' eval gravity rigid.urdf q1.txt
refuses 2 "did you mean 'puma600'" eval gravity puma60 q1.txt
refuses 2 'no such file or built-in' eval gravity zzzzzz q1.txt
refuses 2 '^appell: none.urdf: ' eval gravity none.urdf q1.txt
refuses 2 '^appell: folder' eval gravity folder q1.txt
refuses 2 '^appell: q1.txt: ' eval gravity q1.txt q1.txt
refuses 2 'standard input' eval gravity - q1.txt
mkdir folder.urdf
refuses 2 '^appell: folder.urdf' info folder.urdf
: >empty.urdf
refuses 2 '^appell: empty.urdf' info empty.urdf
head -c 200 arm.urdf >cut.urdf
refuses 2 '^appell: cut.urdf:[0-9]*: ' info cut.urdf

# ---- bad states ---------------------------------------------------------------------------------

# bad_row TEXT: refused, with its line.
bad_row() {
  printf '0.1 0.2\n# remark\n%s\n0.3 0.4\n' "$1" >bad.txt
  refuses 2 '^appell: bad.txt:3: ' eval gravity ascher2 bad.txt
}
bad_row 1
bad_row '1 2 3'
holds 'the message says what a state holds' grep -q 'expected 2 numbers (2 q), found 3' err
echo 1 2 3 4 5 >five.txt
refuses 2 'expected 18 numbers (6 q, 6 v, 6 a), found 5' eval inverse puma600 five.txt
refuses 2 'expected 18 numbers (6 q, 6 v, 6 tau), found 5' eval forward puma600 five.txt
refuses 2 'expected 12 numbers (6 q, 6 v), found 5' eval energy puma600 five.txt
bad_row '1 nan'
bad_row '1 inf'
bad_row '1 1e999'
bad_row '1 2x'
bad_row '1 x'
bad_row '1 0x10'
bad_row '1 2 # remark'
bad_row '1,,2'
holds 'good lines before a bad one are out' shape 1 2
refuses 2 '^appell: none.txt: ' eval gravity ascher2 none.txt
refuses 2 '^appell: folder' eval gravity ascher2 folder
echo '0 0 1e200 1e200 1e200 1e200' >huge.txt
refuses 1 '^appell: huge.txt:1: ' eval inverse ascher2 huge.txt
holds 'no nan, no inf' sh -c '! grep -v "^#" out | grep -qi -e nan -e inf'
printf '0 0 1 1 1 1\n0 0 1 1e60 1 1\n' >wide.txt
refuses 2 '^appell: wide.txt:2: number 4 .*does not fit f32' eval inverse ascher2 wide.txt --real f32
echo '0 0 1e30 1e30 1 1' >wide.txt
refuses 1 '^appell: wide.txt:1: .*too large for f32' eval inverse ascher2 wide.txt --real f32
"$APPELL" eval gravity ascher2 - <bad.txt >out 2>err
holds 'the place on standard input' grep -q '^appell: -:3: ' err
head -c 100000 /dev/zero | "$APPELL" eval gravity ascher2 - >out 2>err
[ $? -eq 2 ] && one_line
verdict $? 'zero bytes are no numbers: 2, one line'
newline='new
line.txt'
refuses 2 'new?line.txt' eval gravity ascher2 "$newline"

# ---- -o -----------------------------------------------------------------------------------------

mkdir o
gives 0 eval gravity ascher2 q2.txt -o o/out
holds 'the file holds what standard output gets' cmp -s o/out gravity.out
holds 'and standard output nothing' [ ! -s out ]
gives 0 eval gravity ascher2 q2.txt -oo/out
gives 0 eval gravity ascher2 q2.txt -o -
holds '-o - is standard output' cmp -s out gravity.out
gives 0 eval gravity ascher2 q2.txt -o /dev/null
holds '/dev/null stays what it is' [ -c /dev/null ]
refuses 2 '^appell: bad.txt:3: ' eval gravity ascher2 bad.txt -o o/out
holds 'an older file stays when the work fails' cmp -s o/out gravity.out
rm o/out
refuses 2 '^appell: bad.txt:3: ' eval gravity ascher2 bad.txt -o o/out
refuses 1 '^appell: huge.txt:1: ' eval inverse ascher2 huge.txt -o o/out
holds 'nothing half-written stays behind' nothing_left o
refuses 2 '^appell: folder: ' eval gravity ascher2 q2.txt -o folder
refuses 2 '^appell: none/out: ' eval gravity ascher2 q2.txt -o none/out
cp q2.txt same.txt
gives 0 eval gravity ascher2 same.txt -o same.txt
holds 'the output may replace the input' cmp -s same.txt gravity.out
ln -s behind.txt link.txt
: >behind.txt
chmod 640 behind.txt
gives 0 eval gravity ascher2 q2.txt -o link.txt
holds 'a link stays a link, the file behind it is replaced' \
  sh -c '[ -L link.txt ] && cmp -s behind.txt gravity.out'
holds 'a replaced file keeps its permissions' sh -c 'ls -l behind.txt | grep -q "^-rw-r-----"'
chmod 6755 behind.txt
gives 0 eval gravity ascher2 q2.txt -o link.txt
holds 'but no right to run as its owner' sh -c 'ls -l behind.txt | grep -q "^-rwxr-xr-x"'
: >robot.yaml
chmod 6755 robot.yaml
gives 0 convert puma600 robot.yaml
holds 'nor has a robot file' sh -c 'ls -l robot.yaml | grep -q "^-rwxr-xr-x"'

# stopped SIGNAL: start a run that waits for its states, end it, and see what is in its folder.
stopped() {
  rm -rf o
  mkdir o
  "$APPELL" eval gravity ascher2 pipe -o o/out >out 2>err &
  pid=$!
  exec 3>pipe # opens when the command has the pipe open, that is, after its output
  cat q2.txt q2.txt >&3
  sleep 0.2
  kill -s "$1" $pid
  wait $pid 2>/dev/null
  status=$?
  exec 3>&-
  [ "$status" -gt 128 ]
  verdict $? "SIG$1 ends a run ($status)"
}
stopped KILL
holds 'SIGKILL leaves no half-written file' [ ! -e o/out ]
for signal in TERM HUP; do # SIGINT is ignored in the background of a shell script
  stopped $signal
  holds "SIG$signal leaves nothing at all" nothing_left o
done

awk 'BEGIN { for (i = 0; i < 60000; i++) print sin(i) * 3, cos(i * i), i % 7, -i / 1e5, 1, 2 }' >many.txt
gives 0 eval inverse ascher2 many.txt
cp out many.out
holds 'many states' shape 60000 2
"$APPELL" eval inverse ascher2 many.txt -o o/out 2>err &
first=$!
"$APPELL" eval inverse ascher2 many.txt -o o/out 2>err &
second=$!
wait $first && wait $second && cmp -s o/out many.out && [ "$(ls -A o)" = out ]
verdict $? 'two runs at once write the same file, whole'
rm -f o/out
{ cat many.txt; echo 1 2 3; } >bad_end.txt
refuses 2 '^appell: bad_end.txt:60001: ' eval inverse ascher2 bad_end.txt
holds 'all good lines are out' cmp -s out many.out
{ cat many.txt; cat huge.txt; cat many.txt; } >bad_middle.txt
refuses 1 '^appell: bad_middle.txt:60001: ' eval inverse ascher2 bad_middle.txt
holds 'the lines before a state that fails are out' cmp -s out many.out

# ---- standard output that does not take it ------------------------------------------------------

"$APPELL" eval inverse ascher2 many.txt 2>err >&-
[ $? -eq 1 ] && one_line
verdict $? 'closed standard output: 1, one line'
"$APPELL" eval inverse ascher2 many.txt -o o/out 2>err >&- <&-
[ $? -eq 0 ] && cmp -s o/out many.out
verdict $? 'closed standard streams do not matter with -o'
"$APPELL" eval gravity ascher2 - <&- >out 2>err
[ $? -eq 2 ] && one_line
verdict $? 'closed standard input: 2, one line'
if [ -c /dev/full ]; then
  refuses 1 '^appell: /dev/full: ' eval gravity ascher2 q2.txt -o /dev/full
  for arguments in 'models' 'info puma600' 'eval inverse ascher2 many.txt' '--help' 'eval --help'; do
    # shellcheck disable=SC2086 # the words are arguments
    "$APPELL" $arguments >/dev/full 2>err
    [ $? -eq 1 ] && one_line
    verdict $? "full disk: 1, one line: $arguments"
  done
fi
{
  "$APPELL" eval inverse ascher2 many.txt 2>err
  echo $? >status
} | head -n 1 >out
sleep 0.1
[ "$(cat status)" -eq 1 ] && [ ! -s err ]
verdict $? 'a reader that has enough: 1, quietly'

# ---- info, models, methods, convert -------------------------------------------------------------

gives 0 models
holds 'puma600 is built in' grep -q '^  puma600 ' out
gives 0 models --json
holds 'models --json is JSON' json
gives 0 methods --json
holds 'methods --json is JSON' json
for model in $("$APPELL" models | awk 'NR > 1 { print $1 }'); do
  gives 0 info "$model"
  gives 0 info --json "$model"
  holds "info --json $model is JSON" json
done

# ---- parallel robots ----------------------------------------------------------------------------

# The first sample of the Stewart platform of tests/golden/parallel.h: forces of the legs.
echo '0.0 0.05 0.7 0.0 0.13962634015954636 0.04642020551173009
  0.12 0 0.1 0.296705972839036 0 0.435185323911774
  0 -0.45 0 0 -0.7386233394440002 -0.39039392835365005' | tr '\n' ' ' >stewart.txt
printf '# f f f f f f\n34.41819600597532 16.462527470536628 27.329893109333916 %s\n' \
  '31.07174977555074 10.850111480204735 26.164456004395017' >forces.txt
gives 0 eval inverse stewart stewart.txt
holds 'forces of the golden sample' close_to out forces.txt
echo '0.1 -0.2 0.3' >pose.txt
gives 0 eval gravity agile-wrist pose.txt
cp out own.txt
gives 0 eval gravity agile-wrist pose.txt --branch=+++
holds '+++ is the default' cmp -s out own.txt
gives 0 eval gravity agile-wrist pose.txt --branch=+-+
holds 'another branch differs' sh -c '! cmp -s out own.txt'
gives 0 eval inertia agile-wrist pose.txt
holds 'inertia of the platform' shape 1 9
gives 0 eval energy delta /dev/null
holds 'no state, no line' shape 0 2
# Each line is on the branch that is named, however far from its guess, whatever came before.
echo '0.157696 -0.285556' >pose.txt
printf '# f f\n2.5521317960492342 -0.95975277727502228\n' >want.txt
gives 0 eval gravity five-bar pose.txt --branch=+-
holds 'far from the guess of the branch' close_to out want.txt
gives 0 eval gravity "$here/models/five-bar.yaml" pose.txt --branch=+-
holds 'far from the guess of the branch, of a file' close_to out want.txt
echo '0.1 -0.2 0.3' >pose.txt
refuses 2 'is not one of the branches of' eval gravity agile-wrist pose.txt --branch ++
refuses 2 'one branch only' eval gravity stewart stewart.txt --branch +
refuses 2 'is for mechanisms' eval gravity puma600 pose.txt --branch +
refuses 2 'does not apply' eval gravity stewart stewart.txt --floating
refuses 2 'f64 only' eval gravity stewart stewart.txt --real f32
refuses 2 'expected 2 numbers (2 q), found 3' eval gravity five-bar pose.txt
refuses 2 'a mechanism with closed chains is not possible here' compare five-bar
refuses 2 'a mechanism with closed chains is not possible here' excite five-bar
refuses 2 'a mechanism with closed chains is not possible here' identify five-bar
echo '0 0.9' >pose.txt
refuses 1 'cannot be reached' eval gravity five-bar pose.txt
echo '0.05529142706151245 0.5795554957734410' >pose.txt
refuses 1 'serial singularity, distance' eval gravity five-bar pose.txt

# A mechanism of a file is what is built in, or a user's own.
echo '0.05 0.4 0.1 0.2 0.3 0.4' >pose.txt
gives 0 eval inverse five-bar pose.txt --branch=++
cp out own.txt
gives 0 eval inverse "$here/models/five-bar.yaml" pose.txt --branch=++
holds 'the file is the built-in mechanism' cmp -s out own.txt
press=$here/models/press.yaml
echo '1 2 3' >pose.txt
gives 0 eval inverse "$press" pose.txt
tail -n 1 out | sed 's/^/1 2 /' >tau.txt
gives 0 eval forward "$press" tau.txt
printf '# a\n3\n' >want.txt
holds 'forward inverts inverse' close_to out want.txt
gives 0 eval inverse "$press" pose.txt --branch 'lever up' --friction
gives 0 eval energy "$press" /dev/null
gives 0 info "$press"
holds 'info names rank and branches' \
  sh -c 'grep -q "19 rows of rank 13" out && grep -q "rod to the left, lever up" out'
gives 0 info --json "$press"
holds 'info --json of a mechanism is JSON' json
gives 0 convert "$press" press.yaml
gives 0 convert press.yaml again.yaml
holds 'yaml to yaml keeps everything' cmp -s press.yaml again.yaml
refuses 1 'closed chains are not written to URDF' convert "$press" press.urdf
refuses 2 'is not possible here' compare "$press"
refuses 2 'does not apply' info "$press" --floating
refuses 2 'rod to the left, lever up' eval inverse "$press" pose.txt --branch no
sed 's/second: {body: ram}/second: {body: ramm}/' press.yaml >wrong.yaml
refuses 2 '^appell: wrong.yaml:[0-9]*: second: the body "ramm" is not in the file (did you mean "ram"?)' \
  info wrong.yaml
sed '/^actuated/d' press.yaml >passive.yaml
refuses 1 '0 actuators cannot produce the forces on 1 coordinate (' eval inverse passive.yaml pose.txt
echo 1 >pose.txt
gives 0 eval inertia passive.yaml pose.txt
sed '/^coordinates:/a\  - {name: twice, type: joint, joint: crank}' press.yaml >twice.yaml
echo '1 2' >pose.txt
refuses 1 'the closures leave 1 degree of freedom, but there are 2 coordinates' \
  eval inertia twice.yaml pose.txt
gives 0 info twice.yaml
holds 'info says so' grep -q 'the closures leave 1 degree of freedom, but there are 2 coordinates' out
for pose in '0 0 0.5 0 1.5707963267948966 0 stewart' '0 1.5707963267948966 0 agile-wrist'; do
  echo "${pose% *}" >pose.txt
  refuses 1 'at a pitch of +-pi/2 yaw and roll are not determined' eval inertia "${pose##* }" pose.txt
done
echo '0.03 0.4 1e160 1e160 0 0' >pose.txt
refuses 1 'a result overflows' eval inverse five-bar pose.txt
gives 0 info arm.urdf
holds 'info names joints and links' sh -c 'grep -q shoulder out && grep -q lower out'
holds 'info says that there is friction' grep -q -e --friction out
gives 0 info --floating --json arm.urdf
holds 'info --json with a free base is JSON' json
holds 'indices count the free base' sh -c 'grep -q "\"q\": 7" out && grep -q "\"v\": 6" out'
holds 'types are as in URDF' sh -c 'grep -q "\"floating\"" out && grep -q "\"continuous\"" out'
{
  link upper
  joint shoulder base upper
  for name in hand tip; do
    echo "<link name=\"$name\"/><joint name=\"to_$name\" type=\"fixed\">"
    [ $name = hand ] && echo '<parent link="upper"/>' || echo '<parent link="hand"/>'
    echo "<child link=\"$name\"/><origin xyz=\"1 0 2\" rpy=\"0 0 1.5707963267948966\"/></joint>"
  done
} | robot >fixed.urdf
gives 0 info fixed.urdf
holds 'merged links stand below their body' grep -qx '  upper: hand, tip' out
gives 0 info --json fixed.urdf
holds 'and are frames of it' sh -c "grep -A 2 '\"name\": \"tip\"' out | tr -d ' \n' |
  grep -q '\"body\":\"upper\",\"xyz\":\[1,1,4\]'"
holds 'a joint has its axis' grep -q '"axis": \[0, 1, 0\]' out
awk 'BEGIN {
  print "<robot name=\"chain\">"
  for (i = 0; i < 30000; i++) {
    printf "<link name=\"l%d\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" " \
      "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n", i
    if (i) printf "<joint name=\"j%d\" type=\"%s\"><parent link=\"l%d\"/><child link=\"l%d\"/></joint>\n",
      i, i % 3 ? "continuous" : "fixed", i - 1, i
  }
  print "</robot>"
}' >chain.urdf
gives 0 info chain.urdf
gives 0 info --json chain.urdf
gives 0 info --json mimic.urdf
holds 'a mimic joint is listed apart' sh -c 'grep -q "\"leader\": \"shoulder\"" out'
try info --json triangle.urdf
holds 'warnings are in the document' sh -c 'grep -A 4 "\"warnings\"" out | grep -q "\"text\""'
holds 'and on standard error' grep -q '^appell: triangle.urdf:[0-9]*: warning: ' err
sed 's/name="upper"/name="up\&quot;p\\er"/g; s/link="upper"/link="up\&quot;p\\er"/g' arm.urdf >quote.urdf
gives 0 info --json quote.urdf
holds 'quotes and backslashes in names' json
holds 'are escaped' grep -q 'up\\"p\\\\er' out

gives 0 convert arm.urdf arm.yaml
gives 0 convert arm.yaml again.urdf
try eval bias arm.urdf qv2.txt --friction
cp out first.out
for file in arm.yaml again.urdf; do
  gives 0 eval bias $file qv2.txt --friction
  holds "convert keeps the dynamics ($file)" close_to out first.out
done
sed 's/coulomb: [0-9.]*/&, static: 0.375/' arm.yaml >rough.yaml
gives 0 info rough.yaml
holds 'info shows static friction' sh -c 'grep -q "coulomb  *static" out && grep -q " 0\.375 " out'
gives 0 info --json rough.yaml
holds 'in JSON too' grep -q '"static": 0.375' out
gives 0 eval bias rough.yaml qv2.txt --friction
holds 'eval --friction is that of sliding' close_to out first.out
try convert rough.yaml rough.urdf
holds 'URDF cannot say it: a warning' grep -q '^appell: rough.urdf: warning: .*static friction.*"shoulder"' err
gives 0 convert rough.yaml again.yaml
holds 'YAML can' sh -c '[ ! -s err ] && grep -q "static: 0.375" again.yaml'
sed 's/^\( *\)friction:.*/&\n\1spring: {stiffness: 12.5, rest: 0.25}/; s/^    inertia:/    gravity_compensation: 0.5\n&/' \
  rough.yaml >sprung.yaml
gives 0 info sprung.yaml
holds 'info shows springs' sh -c 'grep -q "static  *stiffness  *rest" out && grep -q " 12\.5  *0\.25 " out'
gives 0 info --json sprung.yaml
holds 'in JSON too' grep -q '"stiffness": 12.5' out
gives 0 eval bias sprung.yaml qv2.txt
cp out rigid.out
gives 0 eval bias arm.urdf qv2.txt
holds 'eval without --friction has no springs' close_to out rigid.out
try convert sprung.yaml sprung.urdf
holds 'URDF has springs, no compensation' sh -c \
  'grep -q "<springReference>0.25<" sprung.urdf && grep -q "warning: .*gravity compensation" err'
gives 0 convert sprung.yaml again.yaml
gives 0 eval bias sprung.yaml qv2.txt --friction
cp out sprung.out
gives 0 eval bias again.yaml qv2.txt --friction
holds 'YAML has both' close_to out sprung.out
gives 0 convert --floating arm.urdf base.urdf
gives 0 eval gravity base.urdf free.txt
cp out base.out
gives 0 eval gravity arm.urdf free.txt --floating
holds 'convert --floating' close_to out base.out
try convert --ignore-mimic mimic.urdf independent.yaml
gives 0 eval gravity independent.yaml q2.txt
holds 'convert --ignore-mimic' shape 3 2
gives 0 convert ascher2 ascher2.yaml
gives 0 eval gravity ascher2.yaml q2.txt
holds 'a built-in model as a file' close_to out gravity.out
refuses 2 '^appell: out.txt: ' convert arm.urdf out.txt
refuses 2 '^appell: folder.urdf: ' convert arm.urdf folder.urdf
refuses 2 '^appell: none/arm.yaml: ' convert arm.urdf none/arm.yaml
refuses 2 '^appell: cut.urdf:[0-9]*: ' convert cut.urdf cut.yaml
holds 'and nothing is written' [ ! -e cut.yaml ]
refuses 2 'missing' convert arm.urdf

# ---- compare ------------------------------------------------------------------------------------

# column KEY: its values, one per line, from the JSON document in out.
column() { sed -n "s/^ *\"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" out; }

# Every key that a program may rely on is there, and numbers are numbers.
full_rows() {
  rows=$(grep -c '^  {' out)
  [ "$rows" -gt 0 ] || return 1
  for key in method what mul add ns f32_error; do
    [ "$(column $key | wc -l)" -eq "$rows" ] || return 1
  done
  column mul | awk '$1 !~ /^[0-9]+$/ { exit 1 }' && column add | awk '$1 !~ /^[0-9]+$/ { exit 1 }' &&
    column ns | awk '$1 <= 0 { exit 1 }'
}

gives 0 compare ascher2
for quantity in inverse bias inertia forward; do
  holds "compare has a table of $quantity" grep -q "^  $quantity  *mul  *add .* ns  *ratio " out
  for method in $(awk -v what=$quantity '$1 == what { print $2 }' methods.txt); do
    holds "and in it $method" sh -c "sed -n '/^  $quantity /,/^\$/p' out | grep -q '^  $method '"
  done
done
holds 'the default method is what others are compared with' sh -c \
  'for what in inverse bias inertia forward; do
     sed -n "/^  $what /{n;p;}" out | awk "\$8 != \"1.00\" { exit 1 }" || exit 1; done'
holds 'no line ends with a blank' sh -c '! grep -q " \$" out'
gives 0 compare --json ascher2
holds 'compare --json is JSON' json
holds 'compare --json has its keys' full_rows
sed -n '/"method"\|"what"/s/.*: "\(.*\)".*/\1/p' out | paste -d' ' - - | awk '{ print $2, $1 }' >rows.txt
awk '$1 !~ /^(gravity|energy|dinverse|dforward)$/' methods.txt | sort >wanted.txt
holds 'compare --json has every method once' sh -c 'sort rows.txt | cmp -s - wanted.txt'
grep -v '"ns"' out >counts.out
gives 0 compare --json ascher2
holds 'all but the times is the same again' sh -c 'grep -v "\"ns\"" out | cmp -s - counts.out'
gives 0 compare --json ascher2 --seed 2
holds 'another seed gives other states' sh -c '! grep -v "\"ns\"" out | cmp -s - counts.out'
gives 0 compare --json --what inverse --states 3 ascher2
holds 'single precision is single precision' sh -c \
  "sed -n 's/.*\"f32_error\": \(.*[0-9]\).*/\1/p' out |
    awk '\$1 < 1e-10 || \$1 > 1e-4 { bad = 1 } END { exit bad || NR == 0 }'"
holds '--what leaves one quantity' [ "$(column what | sort -u)" = '"inverse"' ]
gives 0 compare --json --what bias --gravity 0,0,0 ascher2
holds 'without gravity there is less to do' sh -c \
  "[ $(column mul | head -n 1) -lt $(grep -A 3 '"what": "bias"' counts.out | sed -n 's/.*"mul": \(.*\),/\1/p' | head -n 1) ]"
{ link trunk; joint shoulder trunk upper; link upper; } | robot | sed '/"base"/d' >free.urdf
gives 0 compare free.urdf --floating
holds 'a free base counts' grep -q '^pendulum: 7 degrees of freedom' out
try compare free.urdf --floating --json
holds 'its document is JSON' json
{ link upper; joint shoulder base upper; } | robot >single.urdf
gives 0 compare single.urdf
holds 'one joint' grep -q '^pendulum: 1 degree of freedom, 100 random states' out
try compare mimic.urdf
holds 'a method that does not cover the model is named, the others are shown' \
  sh -c "[ $rc -eq 0 ] && grep -q 'left out of forward (.*): articulated-body' out && grep -q '^  gibbs ' out"
try compare --json mimic.urdf
holds 'with --json in a warning' grep -q '^appell: mimic.urdf: warning: left out of forward (.*): articulated-body' err
holds 'and the document has the others' sh -c 'grep -q "\"forward\"" out && ! grep -q "\"articulated-body\"" out'
holds 'it is JSON' json
try compare mimic.urdf --ignore-mimic
holds '--ignore-mimic covers it' sh -c "[ $rc -eq 0 ] && ! grep -q 'left out' out"
try compare massless.urdf
holds 'a singular model: the other quantities are shown' \
  sh -c "[ $rc -eq 0 ] && grep -q '^  inverse ' out && ! grep -q '^  forward ' out && grep -q '^  left out of forward (singular' out"
try compare --json massless.urdf
holds 'a singular model is JSON' json
try compare --what forward massless.urdf
holds 'nothing but singular: 1, no output' \
  sh -c "[ $rc -eq 1 ] && [ ! -s out ] && grep -v warning err | grep -q '^appell: massless.urdf: .*singular'"
refuses 2 'nothing moves' compare rigid.urdf
refuses 2 'one of inverse, bias, inertia, forward is needed' compare ascher2 --what energy
for states in 0 -1 1.5 x 1e3 99999999999999999999 ' 5'; do
  refuses 2 'whole number from 1 to 10000' compare ascher2 --states "$states"
done
refuses 2 'whole number' compare ascher2 --seed -3
refuses 2 '3 numbers' compare ascher2 --gravity 1,2
refuses 2 "did you mean 'puma600'" compare puma60
refuses 2 'missing' compare
refuses 1 'too many to compare' compare chain.urdf
# chain N: a chain of N joints. What is left out of it is a matter of size, not of time.
chain() {
  k=0
  while [ $k -lt "$1" ]; do
    link l$((k + 1))
    joint j$((k + 1)) "$([ $k -eq 0 ] && echo base || echo l$k)" l$((k + 1))
    k=$((k + 1))
  done | robot
}
chain 501 >long.urdf
gives 0 compare --what forward long.urdf
holds 'factorising methods are left out beyond 500' \
  grep -q '^  left out of forward (for models of up to 500 degrees of freedom): gibbs-ltdl, ' out
holds 'recursions are not' grep -q '^  articulated-body  *[0-9]' out
holds 'five batches at least' sh -c \
  "sed -n 's/.*median of \([0-9]*\) batches.*/\1/p' out | awk '\$1 < 5 { bad = 1 } END { exit bad || NR != 1 }'"
if [ -c /dev/full ]; then
  "$APPELL" compare ascher2 --what bias >/dev/full 2>err
  [ $? -eq 1 ] && one_line
  verdict $? 'full disk: 1, one line: compare'
fi

# -------------------------------------------------------------------------------------------------

finish
