#!/bin/bash
# Plays a tournament by N shards on Slurm. All nodes must reach its folder and `referee` under the same paths.
#
#   job=$(sbatch --parsable --array=0-63 slurm.sh FOLDER 64)
#   sbatch --dependency=afterok:$job --kill-on-invalid-dep=yes --wrap "referee tournament run FOLDER"
#
# Options of sbatch stand before this file, such as --time=2:00:00 or --output=FOLDER/slurm-%A_%a.out.
#SBATCH --job-name=tournament
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@120
set -u
restarts=100 # a task is queued again no more often than this

referee tournament run "$1" --shard "auto/$2" &
runner=$!
signals=0
again=
trap 'signals=$((signals + 1)); again=yes; kill -USR1 "$runner" 2>/dev/null' USR1
trap 'signals=$((signals + 1)); again=no; kill -TERM "$runner" 2>/dev/null' TERM
while :; do
    before=$signals
    wait "$runner"
    status=$?
    [ "$signals" = "$before" ] && break # else it was a signal that ended the waiting, not the runner
done

# 75: stopped, or this machine cannot play. 138: stopped before it began. After TERM the task is not queued again.
case $status in 75 | 138) again=${again:-yes} ;; *) again=no ;; esac
if [ "$again" = yes ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$restarts" ]; then
    scontrol requeue "${SLURM_JOB_ID:?}" && exit 0
fi
exit "$status"
