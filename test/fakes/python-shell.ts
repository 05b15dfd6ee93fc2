// A Python process that answers a line of JSON with a line of JSON: to start a client anew for each call takes most of a second.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Has the modules of Debian's clients. */
export const DEBIAN_PYTHON = '/usr/bin/python3';

export interface PythonShell extends AsyncDisposable {
  /** One question after the other. */
  readonly ask: (question: unknown) => Promise<unknown>;
}

export const clientEnvironment = (url: string) => ({
  ...process.env,
  OS_AUTH_TYPE: 'none',
  OS_ENDPOINT: url,
});

/** Runs a script of this folder as a client of the API at `url`. */
export function pythonShell(python: string, script: string, url: string): PythonShell {
  const child = spawn(python, [join(import.meta.dirname, script)], {
    env: clientEnvironment(url),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const answer = await answers.next();
      if (answer.done === true) throw new Error(`${script} ended at ${JSON.stringify(question)}`);
      return JSON.parse(answer.value);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
