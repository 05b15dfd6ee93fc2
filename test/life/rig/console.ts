// The serial console of a machine: what it has written, and a keyboard.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

const LAST_LINES = 15;
const POLL_MILLISECONDS = 200;

export class Console {
  readonly #log: string;
  readonly #socket: string;

  /** The files of the console are in `folder`. */
  constructor(folder: string) {
    [this.#log, this.#socket] = [join(folder, 'console.log'), join(folder, 'console')];
    writeFileSync(this.#log, '');
  }

  /** Arguments of QEMU for the console. */
  get arguments(): readonly string[] {
    const device = `socket,id=console,path=${this.#socket},server=on,wait=off,logfile=${this.#log},logappend=on`;
    return ['-chardev', device, '-serial', 'chardev:console'];
  }

  /** All that the machine has written since it was added, without terminal control sequences. */
  get text(): string {
    return stripVTControlCharacters(readFileSync(this.#log, 'latin1'));
  }

  get lastLines(): string {
    const lines = this.text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
    return lines.slice(-LAST_LINES).join('\n');
  }

  /** Types `line`, presses Enter, and resolves when the machine has then written `expected`. */
  async type(line: string, expected: string, seconds = 60): Promise<void> {
    const from = this.text.length;
    const keyboard = connect(this.#socket);
    await once(keyboard, 'connect');
    keyboard.end(`${line}\r`);
    await once(keyboard.resume(), 'close');
    await this.written(expected, seconds, from);
  }

  /** Resolves when the console's text contains `expected` after its first `from` characters; rejects after `seconds`. */
  async written(expected: string, seconds: number, from = 0): Promise<void> {
    const deadline = performance.now() + seconds * 1000;
    while (!this.text.includes(expected, from)) {
      if (performance.now() > deadline)
        throw new Error(`expected ${JSON.stringify(expected)} on the console within ${seconds} s`);
      await wait(POLL_MILLISECONDS);
    }
  }
}
