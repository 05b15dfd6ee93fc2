# Runs commands of the baremetal client in one process: reads the words of each as a line of JSON, and answers with a line of
# JSON with exit status, stdout and stderr. A sleep lasts at most 0.05 s: nothing that commands wait for takes longer here.
import contextlib
import io
import json
import logging
import sys
import time

from ironicclient.shell import main

sleep = time.sleep
time.sleep = lambda seconds: sleep(min(seconds, 0.05))


def run(words):
    stdout, stderr = io.StringIO(), io.StringIO()
    logging.getLogger().handlers.clear()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            exit_status = main(words)
        except SystemExit as ending:
            exit_status = ending.code
    return {"exit": exit_status or 0, "stdout": stdout.getvalue(), "stderr": stderr.getvalue()}


sys.argv = ["baremetal"]
for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
