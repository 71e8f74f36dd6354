#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Help, manual page and completion name the same verbs, arguments and options; the completion is
# right; a slip of the finger is answered with what was meant; terminals get colours and progress,
# files none. APPELL is the path of the command.
set -u
. "$(dirname "$0")/cli/checks.sh"
manual=$here/docs/appell.1

# ---- the same in all three ----------------------------------------------------------------------

# fits WIDTH: no line of out is longer.
fits() { sed 's/[^ -~][^ -~]*/x/g' out | awk -v width="$1" 'length($0) > width { bad = 1 } END { exit bad }'; }

try help
holds 'the help fits into 80 columns' fits 80
sed -n 's/^  \([a-z]*\) .*/\1/p' out >verbs
holds 'there are verbs' [ "$(wc -l <verbs)" -ge 14 ]

# VERB OPTION VALUE (or -), and VERB ARGUMENT, of the help
: >help.options
: >help.arguments
while read -r verb; do
  gives 0 "$verb" --help
  holds "the help of $verb fits into 80 columns" fits 80
  sed -n "s/^usage: appell $verb\(.*\) \[options\]/$verb\1/p" out >>help.arguments
  sed -n '/^options:/,/^$/p' out | awk -v verb="$verb" '
    /^  -/ { print verb, $1, (NF > 1 && substr($0, 3 + length($1), 2) != "  ") ? $2 : "-" }' >>help.options
  holds "the help of $verb has an example" grep -q "^  .*appell $verb" out
  # and what its examples say is possible
  sed '1,/^example:/d' out | tr ' ' '\n' | sed -n 's/^\(--*[a-z][-a-z]*\)$/\1/p' | sort -u >used
  awk -v verb="$verb" '$1 == verb { print $2 }' help.options | sort -u >possible
  holds "the examples of $verb use options that it has" [ -z "$(comm -23 used possible)" ]
done <verbs
holds 'every verb has a usage line' [ "$(wc -l <help.arguments)" -eq "$(wc -l <verbs)" ]

# The same of the synopsis of the manual.
awk '
  function flush() { if (option != "") print verb, option, value == "" ? "-" : value; option = value = "" }
  { gsub(/\\-/, "-") }
  /^\.SH/ { flush(); inside = $2 == "SYNOPSIS" }
  !inside { next }
  /^\.B appell [a-z]/ { flush(); verb = $3; print verb, "--help", "-"; next }
  /^\.B appell / { flush(); verb = "" ; next }
  /^\.R?B (\[ )?-/ { flush(); option = $2 == "[" ? $3 : $2; next }
  option != "" && /^\.(I|IR|BR) / { $1 = ""; gsub(/[][ ]/, ""); value = $0; flush() }
  END { flush() }' "$manual" | grep -v ' --version ' >man.options
awk '
  { gsub(/\\-/, "-") }
  /^\.SH/ { inside = $2 == "SYNOPSIS" }
  !inside { next }
  /^\.(B appell|SH|br)/ && line != "" { print line; line = "" }
  /^\.B appell [a-z]/ { line = $3; options = 0; next }
  /^\.R?B / { options = 1; next }
  line != "" && !options && /^\.R?I / { $1 = ""; gsub(/ /, ""); line = line " " $0 }' "$manual" >man.arguments

# The same of the completion.
gives 0 help --completion bash
cp out appell.bash
cat >complete.bash <<'END'
# complete.bash WORD...: what bash offers for the last word
source ./appell.bash || exit 1
COMP_WORDS=(appell "$@")
COMP_CWORD=$#
_appell
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
END
cat >tables.bash <<'END'
# VERB OPTION VALUE of all options
source ./appell.bash || exit 1
while read -r verb; do
  _appell_options "$verb"
  for option in $takes; do
    _appell_option "$verb" "$option"
    echo "$verb $option ${takes:--}"
  done
done <verbs
END
bash tables.bash >completion.options 2>err
verdict $? 'bash reads the completion'
sort -o help.options help.options
for other in man completion; do
  sort -o $other.options $other.options
  diff help.options $other.options >differ
  verdict $? "options: help and $other agree"
  sed 's/^/# /' differ
done
sort -o help.arguments help.arguments
sort man.arguments | diff help.arguments - >differ
verdict $? 'arguments: help and man agree'
sed 's/^/# /' differ

# Words that stand for something are known to the completion: cli/ui/words.c.
cat >words.bash <<'END'
source ./appell.bash
cur= COMP_WORDS=(appell eval) COMP_CWORD=2 status=0
for word in $(awk '$3 != "-" { print $3 }' help.options) $(cut -s -d' ' -f2- help.arguments | tr -d '[]'); do
  _appell_take "${word%...}" || { echo "unknown: $word"; status=1; }
done
exit $status
END
bash words.bash >out 2>err
verdict $? 'the completion knows every word of the help'
sed 's/^/# /' out | grep unknown

# The manual explains every verb and every option, and none that is not there.
awk '{ gsub(/\\-/, "-") } /^\.SS appell/ { sub(/^\.SS /, ""); gsub(/,? *appell /, "\n"); print }' "$manual" |
  sed '/^$/d' | sort -u >explained
sort -u verbs | diff - explained >differ
verdict $? 'the manual has a section for every verb'
awk '
  { gsub(/\\-/, "-") }
  /^\.SH/ { inside = $2 == "OPTIONS" }
  inside && term { for (k = 1; k <= NF; k++) { gsub(/"/, "", $k); if ($k ~ /^-/) { print $k; break } } }
  { term = /^\.TP/ }' "$manual" | sort -u >explained
{ cut -d' ' -f2 help.options; echo --version; } | sort -u | diff - explained >differ
verdict $? 'the manual explains every option'
sed 's/^/# /' differ
awk '/^\.S[HS] / { print }' "$manual" | sort | uniq -d >twice
holds 'no section of the manual comes twice' [ ! -s twice ]
awk '
  { gsub(/\\-/, "-") }
  /^\.SH/ { inside = $2 == "OPTIONS" }
  inside && term { for (k = 2; k <= NF; k++) { gsub(/"/, "", $k); if ($k ~ /^-/) { print $k; break } } }
  { term = /^\.TP/ }' "$manual" | sort | uniq -d >twice
holds 'the manual explains no option twice' [ ! -s twice ]
for variable in ROS_PACKAGE_PATH AMENT_PREFIX_PATH GAZEBO_MODEL_PATH; do
  holds "the manual names $variable" grep -q "^\.BR* .*$variable" "$manual"
done
# What differs is what the option is for: a file of some kind, methods of different things, a page in a folder
# (reproduce) or as the form of what -o names (lint, beside --json and --sarif).
awk '$2 !~ /^(-o|--method|--real|--html)$/ { print $2, $3 }' help.options | sort -u | cut -d' ' -f1 | uniq -d >twice
holds 'an option takes the same with every verb' [ ! -s twice ]
if command -v groff >/dev/null; then
  groff -man -ww -Tascii "$manual" >/dev/null 2>err
  [ ! -s err ]
  verdict $? 'groff has nothing to say about the manual'
else
  left_out 'the layout of the manual: groff is missing (scripts/setup ci)'
fi

# ---- completion ---------------------------------------------------------------------------------

# offers WANTED WORD...: for the last word, the words WANTED are offered, in any order.
offers() {
  wanted=$1
  shift
  got=$(bash complete.bash "$@" 2>err | sort | tr '\n' ' ')
  [ "$got" = "$wanted" ]
  verdict $? "appell $*<TAB>: $wanted"
  [ "$got" = "$wanted" ] || echo "# got: $got"
}

mkdir 'a folder' lone
touch -- robot.urdf robot.yaml run.csv run.h5 notes.txt 'two words.csv' --odd.urdf
offers 'eval ' ev
offers "$(sort verbs | grep '^c' | tr '\n' ' ')" c
offers '--help --version ' --
offers 'inertia inverse ' eval in
offers 'puma600 ' eval inverse puma6
offers 'robot.urdf robot.yaml ' eval inverse rob
offers 'notes.txt ' eval inverse puma600 no
offers 'notes.txt ' eval --real f32 inverse --friction puma600 no
offers 'notes.txt ' eval --real = f32 inverse puma600 no
offers '--ignore-mimic ' eval --ignore-m
offers 'f128 f32 f64 ' eval inverse puma600 --real ''
offers 'f128 f32 f64 ' eval inverse puma600 --real =
offers 'f32 ' eval inverse puma600 --real = f3
offers 'bodies ' eval energy puma600 --method ''
offers 'articulated-body articulated-body-world ' eval forward puma600 --method art
offers 'mata2002 ' reproduce m
offers 'valera2003 ' reproduce mata2002 v
offers 'a folder lone ' reproduce --plots ''
offers 'restitution ' reproduce shafei2018 --set rest
offers 'run.csv run.h5 ' simulate robot.yaml -o run
offers 'run.csv run.h5 ' identify puma600 run
offers 'two words.csv ' identify puma600 tw
offers 'consistent ' identify puma600 run.csv --method c
offers 'inverse_dynamics,gravity ' generate puma600 --functions inverse_dynamics,gr
offers '' generate puma600 --functions gravity,gravity
offers '' excite puma600 --period ''
PATH=$(dirname "$APPELL"):$PATH
offers 'joint1 joint2 joint3 joint4 joint5 joint6 ' eval inverse puma600 --lock ''
offers 'joint1,joint3 ' info puma600 --lock joint1,joint3
offers '' info robot.urdf --lock ''
awk 'BEGIN { print "<robot name=\"r\"><link name=\"base\"/>"
  n = split("plain `id` a;b a|id a*b * ~ a$b ünïcode a/b a&amp;b", name, " ")
  for (k = 1; k <= n; k++) printf "<link name=\"%s\"><inertial><mass value=\"1\"/>" \
    "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>" \
    "<joint name=\"%s\" type=\"continuous\"><parent link=\"base\"/><child link=\"%s\"/></joint>\n", k, name[k], k
  print "</robot>" }' >hostile.urdf
offers 'a/b plain ünïcode ' info hostile.urdf --lock ''
holds 'as from a robot that is read' "$APPELL" info hostile.urdf
offers 'left_arm left_rod ' info five-bar --root left
offers 'left_arm left_rod ' info five-bar --tip = left
offers '--odd.urdf ' info -- --odd
offers 'simulate ' help si
offers 'bash ' help --completion ''
offers '' nonsense ''

# ---- slips of the finger ------------------------------------------------------------------------

refuses 2 "did you mean 'simulate'" smulate x.yaml
refuses 2 "did you mean '--friction'" eval inverse puma600 - --fricton
refuses 2 "did you mean '-o'" eval inverse puma600 - --output x
refuses 2 "unknown option '--output' (try" info puma600 --output x
refuses 2 "did you mean 'inverse'" eval inverze puma600 -
refuses 2 "did you mean 'newton-euler'" eval inverse puma600 - --method newton-uler
refuses 2 "did you mean 'puma600'" info puma60
refuses 2 "did you mean 'mata2002'" reproduce mata202
refuses 2 "did you mean 'weighted'" identify puma600 --method weihgted
refuses 2 "did you mean 'gravity'" generate puma600 -o lone --functions gravty
refuses 2 "did you mean 'cuda'" generate puma600 -o lone --target cud
refuses 2 "did you mean 'f32'? There are f32, f64" generate puma600 -o lone --real f128
refuses 2 'only for bash' help --completion csh
refuses 2 "leave 'eval' out" help --completion bash eval

# ---- terminals ----------------------------------------------------------------------------------

# on_terminal COMMAND: what it writes to a terminal, in out.
on_terminal() { TERM=${TERM_IS-xterm} script -qec "$1" /dev/null >out 2>&1 </dev/null; }

escape=$(printf '\033')
if command -v script >/dev/null; then
  on_terminal "'$APPELL' evl"
  holds 'an error on a terminal is coloured' grep -q "$escape" out
  on_terminal "NO_COLOR=1 '$APPELL' evl"
  holds 'not with NO_COLOR' sh -c "! grep -q '$escape' out"
  TERM_IS=dumb on_terminal "'$APPELL' evl"
  holds 'not on a dumb terminal' sh -c "! grep -q '$escape' out"
  on_terminal "'$APPELL' excite puma600 -o motion.csv --evaluations 3000"
  holds 'long work on a terminal shows how far it is' grep -q '\[#*\.*\] *[0-9]* %  [0-9]* of 3000 motions' out
  holds 'and removes that at its end' sh -c "tr '\r' '\n' <out | grep -v '^ *\$' | grep -q '^$escape\[K[0-9]* base parameters'"
  on_terminal "'$APPELL' excite puma600 -o motion.csv --evaluations 3000 2>err"
  holds 'in a file there is none' [ ! -s err ]
else
  left_out 'output on a terminal: script is missing (apt-get install bsdutils)'
fi
# ---- tables ------------------------------------------------------------------------------------

# Tables and sentences fit where COLUMNS says how wide a line is; without it, what a program reads
# does not depend on a window. A number is never broken, and no column is lost.
for width in 80 120; do
  for what in 'info puma600' 'info stewart' 'models' 'methods' 'compare puma600 --what inverse --states 1' \
    'reproduce valera2003' "simulate $here/models/ascher2_swing.yaml" 'identify puma600' \
    'lint --rules'; do
    # shellcheck disable=SC2086 # a list of words
    COLUMNS=$width "$APPELL" $what >out 2>err
    holds "appell $what fits into $width columns" fits "$width"
  done
done
gives 0 info puma600
cp out wide
COLUMNS=50 "$APPELL" info puma600 >out 2>err
sed -n '/^  q .*joint/p' wide | tr -s ' ' '\n' | sort -u >words.wide
sed -n '/^  q .*joint/p' out | tr -s ' ' '\n' | sort -u | diff words.wide - >differ
verdict $? 'a narrow table has the columns of a wide one'
holds 'rows that are continued repeat their names' [ "$(grep -c '^  0  0  joint1 ' out)" -gt 1 ]

gives 0 excite ascher2 -o motion.csv --evaluations 200
gives 0 identify ascher2 motion.csv

finish
