import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { fetchedTemplate } from '../../../../plugins/agent/anaconda/template.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { httpServer } from '../../../fakes/services/http-server.ts';
import { fakeTask } from '../../../fakes/task.ts';

const TEMPLATE = 'text\n{{ report_end }}\n';

/** Answers the first requests with `first`, and later ones with the template. */
async function templateFrom(t: TestContext, first: (response: ServerResponse) => void, times: number) {
  let requests = 0;
  const { port } = await httpServer(t, (_, response) => {
    requests += 1;
    if (requests <= times) first(response);
    else response.end(TEMPLATE);
  });
  const task = fakeTask({ node: { instance_info: { ks_template: `http://127.0.0.1:${port}/ks` } } });
  return { fetched: fetchedTemplate(task), requests: () => requests };
}

const failures: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'a 500': (response) => void response.writeHead(500).end(),
  'a 503': (response) => void response.writeHead(503).end('<html>'),
  'a broken connection': (response) => void response.destroy(),
  'half an answer': (response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('half', () => setImmediate(() => response.destroy()));
  },
};

test('a kickstart template is fetched again after a failure of its server, three times in all', async (t) => {
  for (const [name, failure] of Object.entries(failures)) {
    assert.equal(await (await templateFrom(t, failure, 2)).fetched, TEMPLATE, name);
    const { fetched, requests } = await templateFrom(t, failure, 9);
    await rejectsFault(fetched, 'ImageUnusable', /of instance_info\/ks_template cannot be used: it/);
    assert.equal(requests(), 3, name);
  }
});

test('a refusal is final, and a web page is no kickstart template', async (t) => {
  for (const status of [400, 403, 404]) {
    const { fetched, requests } = await templateFrom(
      t,
      (response) => void response.writeHead(status).end(),
      9,
    );
    await rejectsFault(fetched, 'ImageUnusable', new RegExp(`its server answered ${status}`));
    assert.equal(requests(), 1);
  }
  const page = await templateFrom(t, (response) => void response.end('<html>Log in</html>'), 9);
  await rejectsFault(page.fetched, 'InvalidParameter', /it has no {{ report_end }}/);
});
