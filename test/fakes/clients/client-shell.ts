// A client process that reads one question a line, in JSON, and answers each with a line of JSON. A process for each question would
// take most of a second to start.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface ClientShell extends AsyncDisposable {
  /** Sends a question and resolves to its answer. */
  readonly ask: (question: unknown) => Promise<unknown>;
}

export const clientEnvironment = (url: string) => ({
  ...process.env,
  OS_AUTH_TYPE: 'none',
  OS_ENDPOINT: url,
});

/** Runs a program as a client of the API at `url`. */
export function clientShell(url: string, program: string, ...words: readonly string[]): ClientShell {
  const child = spawn(program, words, {
    env: clientEnvironment(url),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const answer = await answers.next();
      if (answer.done === true) throw new Error(`${program} ended at ${JSON.stringify(question)}`);
      return JSON.parse(answer.value);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
