// A reporter of node's test runner that lists the failed tests after all others, where the end of a long log shows them.
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** Yields nothing when no test failed. A suite that failed because of its tests is not listed, its tests are. */
// oxlint-disable-next-line import/no-default-export -- node takes the default export of a reporter
export default async function* listFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: string[] = [];
  for await (const { type, data } of events) {
    if (type !== 'test:fail') continue;
    const { error } = data.details;
    if ('failureType' in error && error.failureType === 'subtestsFailed') continue;
    const place = `${relative('', data.file ?? '')}:${data.line ?? 1}`;
    failures.push(`${place}: ${data.name}\n${String(error.cause ?? error).replaceAll(/^/gmu, '    ')}\n`);
  }
  if (failures.length > 0) yield `\nFailed tests: ${failures.length}\n${failures.join('')}`;
}
