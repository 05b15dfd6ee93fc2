// A text that would break out of every place of a page if a view did not escape it.
import assert from 'node:assert/strict';
import type { Markup } from '../../../daemon/ui/kit/markup.ts';
import type { ShownMachine } from '../../../daemon/ui/read/machines.ts';

export const EVIL = `"'><img src=x onerror=alert(1)><script>alert(2)</script></pre></textarea>`;

/** A machine that failed, with the text wherever a text can be. */
export const EVIL_MACHINE: ShownMachine = {
  uuid: EVIL,
  name: EVIL,
  rack: EVIL,
  unit: 4,
  state: 'clean failed',
  since: '2026-11-22T10:00:00+00:00',
  power: EVIL,
  maintenance: true,
  maintenanceReason: EVIL,
  quarantined: false,
  error: EVIL,
  step: EVIL,
  waitsFor: EVIL,
  locked: true,
  discovered: true,
  console: true,
  unhealthy: [EVIL],
};

/** Asserts that the view shows EVIL, and that it stays text there. */
export async function assertStaysText(body: Markup): Promise<void> {
  const text = String(await body);
  assert.ok(text.includes('&lt;img src=x'), 'the text is shown');
  assert.doesNotMatch(text, /<img|<script|"'>/);
  const values = [...text.matchAll(/\son\w+=/g)].length - text.split('src=x onerror=').length + 1;
  assert.equal(values, 0, 'no element has an event handler');
  assert.doesNotMatch(text, /\sstyle=|javascript:/, 'nothing that the policy of the page would refuse');
}
