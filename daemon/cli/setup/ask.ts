// Asks the operator: on a terminal, unless an option gives the answer already.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { visibleText } from '../../lib/plain-text.ts';
import { WrongArguments } from '../command.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';

export interface Question {
  /** The option that gives the answer, without its dashes. */
  readonly option: string;
  readonly text: string;
  /** The answer when the operator only presses Enter; undefined when only the operator knows it. */
  readonly proposed: string | undefined;
  /** Returns what is wrong with an answer; undefined when it can be used. */
  readonly wrong: (answer: string) => string | undefined;
  /** Whether the answer is not shown while it is typed. */
  readonly isSecret?: boolean;
}

export type AskOperator = (question: Question) => Promise<string>;

/** Prints a prompt and resolves with the line that the operator types; undefined where nobody can be asked. */
export type ReadLine = ((prompt: string, isSecret: boolean) => Promise<string>) | undefined;

/**
 * `given`: the values of options. `takesProposals`: nobody is asked, and the proposed answers are taken. The function rejects
 * with WrongArguments when a given answer cannot be used, and when nobody can be asked for an answer that is needed.
 */
export function askerOf(parts: {
  readonly given: Readonly<Record<string, string | undefined>>;
  readonly takesProposals: boolean;
  readonly readLine: ReadLine;
}): AskOperator {
  const { given, takesProposals, readLine } = parts;
  return async (question) => {
    const { option, text, proposed } = question;
    const answer = given[option] ?? (takesProposals ? proposed : undefined);
    if (answer !== undefined) return checked(question, answer);
    if (readLine !== undefined && !takesProposals) return typed(question, readLine);
    const others = proposed === undefined ? '' : ` (proposed: ${proposed}), or --yes`;
    throw new WrongArguments(
      `${text}: there is no terminal to ask on, or no answer to propose. Give --${option}${others}`,
    );
  };
}

function checked({ option, wrong }: Question, answer: string): string {
  const problem = wrong(answer);
  if (problem === undefined) return answer;
  throw new WrongArguments(`--${option} ${JSON.stringify(answer)}: ${problem}`);
}

async function typed(
  { text, proposed, wrong, isSecret = false }: Question,
  readLine: NonNullable<ReadLine>,
): Promise<string> {
  const shown = proposed === undefined || proposed === '' ? '' : ` [${proposed}]`;
  for (let problem = ''; ;) {
    const line = (await readLine(`${problem}${text}${shown}: `, isSecret)).trim() || proposed;
    const found = line === undefined ? 'an answer is needed' : wrong(line);
    if (line !== undefined && found === undefined) return line;
    problem = `  ${found}\n`;
  }
}

/** Reads lines from the terminal; undefined when standard input is none. Ctrl-C and Ctrl-D end the command with code 130. */
export function terminalReader(): ReadLine {
  if (!process.stdin.isTTY) return undefined;
  return async (prompt, isSecret) => {
    let isSilent = false;
    const output = new Writable({
      write(chunk, _, done) {
        if (!isSilent) process.stderr.write(chunk as Buffer);
        done();
      },
    });
    const lines = createInterface({ input: process.stdin, output, terminal: true });
    const ended = Promise.withResolvers<string>();
    lines.once('close', () =>
      ended.reject(new CommandFailure('Nothing was changed.', exitCodes.interrupted)),
    );
    lines.on('SIGINT', () => lines.close());
    try {
      // what a neighbour of the host has sent may be in it
      const line = lines.question(visibleText(prompt));
      isSilent = isSecret;
      return await Promise.race([line, ended.promise]);
    } finally {
      if (isSecret) process.stderr.write('\n');
      lines.close();
    }
  };
}
