#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# appell generate: the files, their names, what is refused. APPELL is the path of the command.
# Prints one line per check, ends with 1 if one failed.
set -u
. "$(dirname "$0")/cli/checks.sh"

# ---- files --------------------------------------------------------------------------------------

gives 0 generate ascher2 -o out1
gives 0 generate -o out2 ascher2
holds 'the folder was made, with two files in it' [ "$(ls out1 | tr '\n' ' ')" = 'ascher2.c ascher2.h ' ]
holds 'the same bytes again' cmp -s out1/ascher2.c out2/ascher2.c
holds 'the same header again' cmp -s out1/ascher2.h out2/ascher2.h
gives 0 generate ascher2 -o out1 --real f32 --functions bias,gravity --no-batch --name arm
holds 'the chosen functions' grep -q 'void arm_gravity(const float \*q, float \*tau);' out1/arm.h
holds 'and no others' sh -c '! grep -q "arm_inertia\|_batch" out1/arm.h'
holds 'no double in float' sh -c '! grep -v "^ \*\|^/\*" out1/arm.c | grep -q double'
gives 0 generate puma600 -o out1 --no-regroup
holds 'nothing regrouped unless asked' sh -c '! grep -q regrouped out1/puma600.c'

# ---- it compiles, runs, and knows what a singular matrix is ---------------------------------------

cat >use.c <<'C'
#include <math.h>
#include <stdio.h>
#include "ascher2.h"
int main(void) {
  double q[2] = {0.3, -1.2}, v[2] = {0.5, 0.7}, a[2] = {1, 2}, tau[2], back[2];
  double bad[2] = {0, NAN}; /* the matrix depends on the second angle */
  ascher2_inverse_dynamics(q, v, a, tau);
  if (ascher2_forward_dynamics(q, v, tau, back) != 0) return 1;
  /* this robot is badly conditioned */
  if (fabs(back[0] - 1) > 1e-8 || fabs(back[1] - 2) > 1e-8) return 2;
  ascher2_inverse_dynamics(q, v, a, a);
  if (a[0] != tau[0] || a[1] != tau[1]) return 3;
  back[0] = back[1] = 7;
  if (ascher2_forward_dynamics(bad, v, tau, back) == 0) return 4;
  if (back[0] != 7 || back[1] != 7) return 5;
  q[0] = 0.3 + 1e9, q[1] = -1.2 - 1e8;
  ascher2_gravity(q, tau);
  return isfinite(tau[0]) && isfinite(tau[1]) ? 0 : 6;
}
C
for compiler in ${CC:-cc} clang; do
  command -v "$compiler" >/dev/null || {
    left_out "generated code is not compiled by $compiler: it is missing (scripts/setup ci)"
    continue
  }
  for level in -O0 -O2; do
    "$compiler" -std=c11 -pedantic -Wall -Wextra -Wconversion -Werror "$level" -Iout2 use.c \
      out2/ascher2.c -o use -lm >err 2>&1 && ./use
    verdict $? "$compiler $level: compiles without a warning and runs"
  done
done

# ---- for CasADi ---------------------------------------------------------------------------------

gives 0 generate ascher2 -o ocp --target casadi --functions gravity,forward_dynamics
holds 'a function and its derivatives' sh -c 'for f in "" jac_ fwd1_ adj1_ jac_adj1_ fwd1_adj1_; do
  grep -q "^ascher2_DECLARE(${f}ascher2_forward_dynamics);" ocp/ascher2.h || exit 1; done'
gives 0 generate ascher2 -o ocp --target casadi --order 1 --name first
holds 'no second derivatives' sh -c '! grep -q adj1_adj1\|jac_adj1 ocp/first.h'
refuses 2 'option --order is for --target casadi' generate ascher2 -o ocp --order 1
refuses 2 "CasADi's numbers are double" generate ascher2 -o ocp --target casadi --real f32
refuses 2 'for CasADi there are' generate ascher2 -o ocp --target casadi --functions regressor

# ---- FMUs ---------------------------------------------------------------------------------------

gives 0 generate ascher2 -o arm.fmu --target fmu --name arm
holds 'an archive with a description, sources and a binary' sh -c '
  for f in modelDescription.xml sources/fmu.c sources/arm.c sources/arm.h -linux/arm.so; do
    grep -aq -e "$f" arm.fmu || exit 1; done'
gives 0 generate "$here/models/ascher2_swing.yaml" -o swing.fmu --target fmu
holds 'the start of the scenario' grep -aq 'name="q.joint1".* start="0.3"' swing.fmu
holds 'its end' grep -aq 'stopTime="5"' swing.fmu
refuses 2 'names a file that ends in .fmu' generate ascher2 -o arm.zip --target fmu
refuses 2 'computes in double' generate ascher2 -o f.fmu --target fmu --real f32
holds 'nothing was left behind' [ ! -e f.fmu ]
# Compiling the simulator takes long: the sources alone.
CC=$here/none "$APPELL" generate "$here/models/ball.yaml" -o ball.fmu --target fmu 2>err </dev/null
holds 'the compiler is missing' grep -q 'sources but no binary' err
holds 'with walls the simulator is inside' grep -aq 'sources/src/sim/run.c' ball.fmu
holds 'for co-simulation alone' sh -c '! grep -aq "<ModelExchange" ball.fmu'
CC=$here/none "$APPELL" generate "$here/models/delta_driven.yaml" -o delta.fmu --target fmu 2>err </dev/null
holds 'with forces, too' grep -aq 'CONSTANT.*-6.5' delta.fmu

# ---- closed forms -------------------------------------------------------------------------------

gives 0 generate delta -o closed_form
gives 0 generate agile-wrist -o closed_form --real f32 --name wrist --functions inverse_dynamics
holds 'of a mechanism in closed form, with its margins' \
  grep -q 'void delta_gravity(const double \*q, double \*tau, double \*margin);' closed_form/delta.h
for name in delta wrist; do
  "${CC:-cc}" -std=c11 -pedantic -Wall -Wextra -Wconversion -Werror -c closed_form/$name.c -o odd.o >err 2>&1
  verdict $? "$name compiles without a warning"
done

# ---- names --------------------------------------------------------------------------------------

cat >odd.urdf <<'URDF'
<robot name="2nd arm */ x">
  <link name="base"/>
  <link name="a-b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="a_b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j1" type="continuous"><parent link="base"/><child link="a-b"/><axis xyz="0 0 1"/></joint>
  <joint name="j2" type="continuous"><parent link="base"/><child link="a_b"/><axis xyz="0 1 0"/></joint>
</robot>
URDF
gives 0 generate odd.urdf -o odd
odd=robot_x00_2nd_x20_arm_x202a2f20_x
holds 'a name that C can have' [ -f odd/$odd.h ]
holds 'frames that differ in a sign' grep -q jacobian_a_x2d_b odd/$odd.h
holds 'and which one it is' grep -q "of the frame 'a-b'" odd/$odd.h
"${CC:-cc}" -std=c11 -pedantic -Wall -Wextra -Werror -c odd/$odd.c -o odd.o >err 2>&1
verdict $? 'and its text compiles'

# Robots whose names are headers, keywords, each other's functions or nothing that C can have, with
# frames of the same kind: all in one folder that the compiler searches first, in one program, as C
# and as C++, and what they have for a GPU in one file of C++.
robot() { # NAME
  cat <<URDF
<robot name="$1">
  <link name="base"/>
  <link name="l"><inertial><mass value="1"/><origin xyz="0.1 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="l"/><axis xyz="0 1 0"/></joint>
URDF
  for frame in tool tool_batch tool_batch_batch tool_lanes tool_launch tool_part1 tool-batch tool_x2d tool- \
    gravity jacobian_tool class int 2 机器人 人 'a b' "$(printf '%0300d' 7)"; do
    echo "  <link name=\"$frame\"/>"
    echo "  <joint name=\"j$frame\" type=\"fixed\"><parent link=\"l\"/><child link=\"$frame\"/></joint>"
  done
  echo '</robot>'
}
count=0
for name in math string stdint stddef stdio Math math_robot int double class template main errno 2nd robot_2nd \
  left-arm left_arm 机器人 人 _ arm arm_jacobian arm_jacobian_tool ap ap_batch robot INT "$(printf '%0300d' 1)"; do
  robot "$name" >one.urdf
  "$APPELL" generate one.urdf -o many --functions gravity,inverse_dynamics,jacobian 2>err >out &&
    "$APPELL" generate one.urdf -o many --target cuda --functions gravity,jacobian 2>err >out &&
    count=$((count + 1))
done
holds 'each robot has four files of its own' [ "$count" -eq 28 -a "$(ls many | wc -l)" -eq 112 ]
(
  set -e
  cd many
  for source in *.c; do
    "${CC:-cc}" -std=c11 -pedantic -Wall -Wextra -Werror -I. -c "$source" -o "${source%.c}.o"
  done
  {
    printf '#include <%s>\n' math.h string.h stdint.h stdio.h
    printf '#include "%s"\n' *.h
    echo 'int main(void) {'
    echo '  double q[1] = {0}, x[1], J[6];'
    for header in *.h; do
      echo "  ${header%.h}_gravity(q, x), ${header%.h}_gravity_batch(1, q, x);"
      echo "  ${header%.h}_jacobian_tool(q, J), ${header%.h}_jacobian_tool_batch(1, q, J);"
    done
    echo '  return fabs(x[0] + 0.981) > 1e-12;'
    echo '}'
  } >all.c
  "${CC:-cc}" -std=c11 -I. all.c ./*.o -o all_c -lm && ./all_c
  command -v "${CXX:-c++}" >/dev/null || exit 0
  "${CXX:-c++}" -std=c++17 -I. -x c++ all.c -x none ./*.o -o all_cpp -lm && ./all_cpp
  {
    echo '#include <cmath>'
    printf '#define %s\n' '__device__' '__noinline__' '__forceinline__ inline' '__CUDACC__'
    printf '#include "%s"\n' *.cuh
  } >gpu.cpp
  mkdir stub
  printf 'typedef int cudaError_t; typedef void *cudaStream_t;\n' >stub/cuda_runtime.h
  "${CXX:-c++}" -std=c++17 -I. -Istub -c gpu.cpp
) >err 2>&1
verdict $? 'they compile together, as C, as C++ and as CUDA'
command -v "${CXX:-c++}" >/dev/null ||
  left_out 'generated code is not compiled as C++ and CUDA: g++ is missing (scripts/setup ci)'
refuses 2 "as in 'math_robot'" generate puma600 -o new --name math
refuses 2 "as in 'a_x5f5f_b'" generate puma600 -o new --name a__b

gives 0 generate puma600 -o framed --functions jacobian,forward_kinematics --frames link6,link3
holds 'the header lists the frames in their order' \
  [ "$(sed -n "s/^ \*   '\(link[0-9]\)'.*/\1/p" framed/puma600.h | tr '\n' ' ')" = 'link6 link3 ' ]
holds 'each has its Jacobian' [ "$(grep -c '_jacobian_link[63](' framed/puma600.h)" -eq 2 ]

# ---- what is refused ----------------------------------------------------------------------------

refuses 2 "did you mean 'inertia_matrix'" generate puma600 -o new --functions inertia_matrx
refuses 2 'option -o DIR is missing' generate puma600
refuses 2 "There are f32, f64" generate puma600 -o new --real f128
refuses 2 "'1x' cannot begin the names" generate puma600 -o new --name 1x
refuses 2 'names no function' generate puma600 -o new --functions ,
refuses 2 "did you mean 'link5'" generate puma600 -o new --frames link5x
refuses 2 'names no frame' generate puma600 -o new --frames ,
refuses 2 "unknown frame 'link5'" generate delta -o new --frames link5
refuses 2 "'link5' is asked for twice" generate puma600 -o new --frames link5,link5
refuses 2 'generated as C only' generate stewart -o new --target cuda
refuses 2 'generated as C only' generate "$here/models/four-bar.yaml" -o new --target casadi
refuses 2 'no more functions than' generate stewart -o new --functions regressor
refuses 2 'does not apply' generate delta -o new --floating
holds 'nothing was made' [ ! -e new ]
gives 0 generate "$here/models/four-bar.yaml" -o chain --functions gravity,forward_dynamics
holds 'closed chains return a status' grep -q '^int four_x2d_bar_gravity_from(double \*x, ' chain/four_x2d_bar.h
holds 'the text of closed chains compiles' \
  "${CC:-cc}" -std=c11 -pedantic -Wall -Wextra -Werror -c chain/four_x2d_bar.c -o chain.o
touch plain
refuses 2 'is not a folder' generate puma600 -o plain
refuses 2 'there is no folder' generate puma600 -o none/deep/er
mkdir closed && chmod 555 closed
# Root may write everywhere; without its capabilities it may not.
command=$APPELL
if [ "$(id -u)" -eq 0 ]; then
  APPELL=$PWD/powerless
  printf '#!/bin/sh\nexec setpriv --bounding-set=-all --inh-caps=-all -- "%s" "$@"\n' "$command" >powerless
  chmod +x powerless
fi
if "$APPELL" --version >/dev/null 2>&1; then
  refuses 2 '^appell: closed: cannot be used' generate puma600 -o closed
else
  left_out 'a folder that may not be written: root keeps its capabilities here (make test as another user)'
fi
APPELL=$command

# -------------------------------------------------------------------------------------------------

finish
