#!/bin/sh
# @TITLE@
# One task at a time on each machine, with all of its cores. --sshlogin one,two names other machines: all must reach the
# tournament's folder. A task that fails is tried again, on another machine if possible. Then: @MERGE@
parallel --quote --jobs 1 --retries 5 --line-buffer --joblog @OUTPUT@@DIRECTIVES@ @REFEREE@ tournament run --dir @DIR@ --shard '{}/@N@'@OPTIONS@ ::: @ARRAY@
