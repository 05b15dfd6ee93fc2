// npm run fuzz:api [SEED]: sends some 20,000 requests, which takes long.
import process from 'node:process';
import { installOpenApiTools } from '../setup/openapi-tools.ts';
import { fuzzApi } from './fuzz-api.ts';

if (!installOpenApiTools()) throw new Error('schemathesis cannot be installed from PyPI');
const started = performance.now();
const { report, failed, requests, statuses, errors } = await fuzzApi({
  examples: 120,
  phases: 'examples,coverage,fuzzing,stateful',
  seed: Number(process.argv[2] ?? 1),
});
console.log(report);
for (const error of errors) console.log(JSON.stringify(error));
console.log({ requests, statuses, errors: errors.length, seconds: (performance.now() - started) / 1000 });
process.exitCode = failed || errors.length > 0 ? 1 : 0;
