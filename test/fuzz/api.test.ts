import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skipWithoutOpenApiTools } from '../setup/openapi-tools.ts';
import { fuzzApi } from './fuzz-api.ts';

test(
  'generated requests are answered as the OpenAPI document says and never with a 5xx',
  { skip: skipWithoutOpenApiTools() },
  async () => {
    const { report, failed, requests, statuses, errors } = await fuzzApi({
      examples: 2,
      phases: 'fuzzing',
      seed: 7,
    });
    assert.equal(failed, false, report);
    assert.deepEqual(errors, []);
    assert.ok(requests >= 250, `${requests}`);
    assert.ok((statuses['200'] ?? 0) > 20 && (statuses['400'] ?? 0) > 20, JSON.stringify(statuses));
  },
);
