#!/bin/bash
# @TITLE@
# To submit it, and to merge the results once all tasks are done:
#
#   job=$(sbatch --parsable FILE)
#   sbatch --dependency=afterok:$job --kill-on-invalid-dep=yes --wrap @MERGE@
#
# A task that the time limit stops, or that finds its machine unfit, is queued again. So is one whose node is lost (with
# a site's defaults after about 7 minutes). If a task fails for good, the merge does not run: see the task's output. To
# list the missing batches, and the array that plays them: @STATUS@
#SBATCH --job-name=@NAME@
#SBATCH --array=@ARRAY@
#SBATCH --nodes=1
#SBATCH --ntasks=1
@ROOM@
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@@@LEAD@
#SBATCH --output=@OUTPUT@
@DIRECTIVES@

set -u
restarts=100 # a task is queued again no more often than this

@REFEREE@ tournament run --dir @DIR@ --shard auto/@N@ &
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

# 75: stopped, or an unfit machine. 138: stopped before it began. After TERM this script does not queue the task again.
case $status in 75 | 138) again=${again:-yes} ;; *) again=no ;; esac
if [ "$again" = yes ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$restarts" ]; then
    scontrol requeue "${SLURM_JOB_ID:?}" && exit 0
fi
exit "$status"
