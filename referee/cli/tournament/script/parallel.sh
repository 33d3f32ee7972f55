#!/bin/sh
# @TITLE@
# One task at a time on each machine, with all of its cores. With --sshlogin one,two the machines are those, and all must
# reach the tournament's folder. A task that fails is tried again, elsewhere if it can be. Then: @MERGE@
parallel --quote --jobs 1 --retries 5 --line-buffer --joblog @OUTPUT@@DIRECTIVES@ @REFEREE@ tournament run --dir @DIR@ --shard '{}/@N@'@OPTIONS@ ::: @ARRAY@
