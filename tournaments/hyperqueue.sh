#!/bin/bash
# Plays a tournament by N shards on HyperQueue. All workers must reach its folder and `referee` under the same paths.
#
#   hq submit --array=0-63 hyperqueue.sh FOLDER 64
#   hq submit --array=$(hq job task-ids last --filter=failed) hyperqueue.sh FOLDER 64    # tasks that ended with 75
#   referee tournament run FOLDER    # lists the games, and shows the standings
#HQ --name=tournament
#HQ --cpus=all
exec referee tournament run "$1" --shard "auto/$2"
