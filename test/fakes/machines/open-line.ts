// A serial line whose program is a script of the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { ConsoleLog } from '../../../daemon/conductor/consoles/console-log.ts';
import { SerialLine } from '../../../daemon/conductor/consoles/serial-line.ts';
import type { SerialProgram } from '../../../daemon/plugin-api/index.ts';
import { fakeClock } from '../clock.ts';

/** A script that Node.js runs: the console shows its output, and text typed on the console is its input. */
export const scriptedProgram = (script: string): SerialProgram => ({
  command: process.execPath,
  arguments: ['-e', `process.stdout.write('connected');${script}`],
  secret: '',
  connectedBy: 'connected',
  withheld: '\x1c',
  port: null,
});

export async function openLine(t: TestContext, script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-line-'));
  const program = scriptedProgram(script);
  const clock = fakeClock();
  const happened: string[] = [];
  const line = await SerialLine.open(program, {
    program: async () => program,
    kept: new ConsoleLog(join(folder, 'log'), 1000),
    clock,
    log: pino({ level: 'silent' }),
    happened: ({ text, failed }) => void happened.push(failed === true ? `! ${text}` : text),
  });
  t.after(() => {
    line.close('The test is over.');
    rmSync(folder, { recursive: true });
  });
  return { line, clock, happened };
}
