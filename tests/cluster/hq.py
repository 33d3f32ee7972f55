"""Plays shards by a script on a HyperQueue of two workers with a core each, and prints the failed tasks with the reasons.

    hq.py SCRIPT FOLDER TOURNAMENT SHARDS [TASK...]

Tasks are the given ones, or all shards. FOLDER is for the server. HyperQueue's package for Python contains its server and
its workers, but not the program `hq`, so the `#HQ` lines of the file are read here.
"""

import re
import sys

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
from hyperqueue.ffi.protocol import ResourceRequest

file, folder, tournament, shards, *tasks = sys.argv[1:]
with open(file, encoding="utf-8") as text:
    said = dict(re.findall(r"^#HQ --(\w+)=(.*)$", text.read(), re.MULTILINE))
tasks = tasks or range(int(shards))

with LocalCluster(server_dir=folder) as cluster:
    for _ in range(2):
        cluster.start_worker(WorkerConfig(cores=1))
    job = Job(name=said["name"], max_fails=None)
    for task in tasks:
        words = ["bash", file, tournament, shards]
        program = job.program(words, resources=ResourceRequest(cpus=said["cpus"]), stdout=None, stderr=None)
        program.task_id = int(task)
    client = cluster.client()
    submitted = client.submit(job)
    client.wait_for_jobs([submitted], raise_on_error=False)
    failed = client.connection.get_failed_tasks([submitted.id]).get(submitted.id, {})
    for task, why in sorted(failed.items()):
        print(f"failed {task}: {why.error}")
