#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sweeps by a job array of a real Slurm, and by mpirun of OpenMPI and MPICH: killed in the middle,
# started again, the merged file has the bytes of one thread. APPELL is the path of the command, beside
# which are appell-openmpi and appell-mpich. Prints one line per check, ends with 1 if one failed.
set -u
. "$(dirname "$0")/cli/checks.sh"

cp "$here/models/point.yaml" .
sed 's/^duration: .*/duration: 2/' "$here/models/ball.yaml" >fall.yaml
cat >study.yaml <<EOF
appell-study: 1
run: fall.yaml
trials: 6000
design: latin
chunk: 25
parameters:
  - {name: height, key: start.height, uniform: [0.5, 1]}
  - {name: mass, key: robot.ball.mass, normal: [1, 0.1]}
outcomes:
  - {name: hardest, event: impact, number: impulse, take: most}
  - {name: energy, column: kinetic, take: mean}
...
EOF

# merged FOLDER: the file of the folder is that of one thread. Without HDF5, the bytes of the chunks.
merge() {
  if "$APPELL" sweep --merge "$1" -o "$1.h5" --quiet </dev/null 2>err; then return; fi
  grep -q 'without HDF5' err && cat "$1"/chunk-*.bin >"$1.h5"
}
same() { merge "$1" && cmp -s one.h5 "$1.h5"; }
chunks() { find "$1" -name 'chunk-*.bin' 2>/dev/null | wc -l; }
# await COMMAND...: until it succeeds, at most some minutes.
await() {
  for _ in $(seq 6000); do
    "$@" && return
    sleep 0.03
  done
}
begun() { [ "$(chunks "$1")" -gt 3 ]; }
unfinished() { [ "$(chunks "$1")" -lt 240 ]; }

gives 0 sweep study.yaml -o one --threads 1 --quiet
holds 'one thread' merge one

# ---- Slurm -------------------------------------------------------------------------------------

slurm() {
  "$here/scripts/slurm_node" start "$node" || return 1
  SLURM_CONF=$node/slurm.conf
  export SLURM_CONF
  cat >job.sh <<EOF
#!/bin/sh
echo \$\$ >pid.\$SLURM_ARRAY_TASK_ID
exec '$APPELL' sweep study.yaml -o array --part slurm --threads 1 --quiet
EOF
  sbatch --array=0-3 -o task-%a.out job.sh >/dev/null || return 1
  await begun array
  await [ -s pid.1 ]
  kill -9 "$(cat pid.1)"
  holds 'a task of the array is killed before its end' unfinished array
  await sh -c '[ -z "$(squeue -h)" ]'
  holds 'its chunks are missing' unfinished array
  sbatch --wait --array=0-3 -o task-%a.out job.sh >/dev/null
  holds 'started again: the file of one thread' same array
}
missing=
for command in munged slurmctld slurmd sbatch; do
  command -v "$command" >/dev/null || missing=y
done
if [ -n "$missing" ] || [ "$(id -u)" -ne 0 ]; then
  left_out "a job array of Slurm (root, and 'scripts/setup cluster')"
else
  node=$(mktemp -d /tmp/appell-slurm-XXXXXX) # it takes no blanks in names
  slurm || verdict 1 'a Slurm of one node starts'
  "$here/scripts/slurm_node" stop "$node"
  rm -rf "$node"
fi

# ---- MPI ---------------------------------------------------------------------------------------

# deepest PROCESS: the first of the processes that it has started and that has started none.
deepest() {
  child=$(cat /proc/"$1"/task/*/children 2>/dev/null | tr ' ' '\n' | head -n 1)
  if [ -n "$child" ]; then deepest "$child"; else echo "$1"; fi
}

# ranks NAME MPIRUN...: four ranks of appell-NAME, one of them killed, then all again.
ranks() {
  name=$1
  shift
  "$@" -n 4 "$APPELL-$name" sweep study.yaml -o "$name" --quiet >mpi.out 2>&1 </dev/null &
  run=$!
  await begun "$name"
  kill -9 "$(deepest $run)"
  wait $run
  holds "$name: a rank is killed before its end" unfinished "$name"
  "$@" -n 4 "$APPELL-$name" sweep study.yaml -o "$name" --quiet >mpi.out 2>&1 </dev/null
  verdict $? "$name: all ranks again"
  holds "$name: the file of one thread" same "$name"
}
# As root, and with fewer cores than ranks.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
for name in openmpi mpich; do
  if [ -x "$APPELL-$name" ] && command -v "mpirun.$name" >/dev/null; then
    ranks "$name" "mpirun.$name"
  else
    left_out "ranks of $name ('scripts/setup cluster' before the build)"
  fi
done
finish
