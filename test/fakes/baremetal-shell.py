# Runs commands of the baremetal client in one process: a JSON list of words a line in, a JSON object with exit status,
# stdout and stderr a line out. Starting the client anew for each command takes most of a second.
import contextlib
import io
import json
import logging
import sys

from ironicclient.shell import main


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
