#!/bin/sh
# Plays a tournament by N shards with GNU parallel: one task at a time on each machine, with all of its cores. A task that
# fails is tried again, on another machine if possible.
#
#   parallel.sh FOLDER 64 [--sshlogin one,two]      machines that reach the folder and `referee` under the same paths
#   referee tournament run FOLDER             lists the games, and shows the standings
dir=$1 n=$2
shift 2
exec parallel --quote --jobs 1 --retries 5 --line-buffer --joblog "$dir/parallel.log" "$@" \
    referee tournament run "$dir" --shard "{}/$n" ::: $(seq 0 $((n - 1)))
