#!/bin/bash
# @TITLE@
# To submit it, on workers that can reach the tournament's folder:
#
#   hq submit FILE
#
# Tasks of a lost worker start again on another. A task that was stopped, or found its machine unfit, has failed
# with status 75. To submit those again, and to merge once all are done:
#
#   hq submit --array=$(hq job task-ids last --filter=failed) FILE
#   @MERGE@
#
#HQ --name=@NAME@
#HQ --array=@ARRAY@
@ROOM@
#HQ --stdout=@OUTPUT@
#HQ --stderr=@OUTPUT@
@DIRECTIVES@

exec @REFEREE@ tournament run --dir @DIR@ --shard auto/@N@@OPTIONS@
