import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MASK, maskSecrets } from '../../../../daemon/model/secrets.ts';
import type { JsonObject } from '../../../../daemon/plugin-api/index.ts';
import { bootcDeploy } from '../../../../plugins/agent/deploy/bootc.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { fakeTask } from '../../../fakes/task.ts';

const image = { image_source: 'oci://registry.test/os:latest' };

function scene(instance_info: JsonObject) {
  const steps: JsonObject[] = [];
  const task = fakeTask({
    node: { instance_info },
    configuration: { deploy: { default_boot_mode: 'uefi' } },
    agent: {
      async startStep(_phase, step) {
        steps.push(step);
        return { id: '1', name: 'execute_deploy_step', status: 'RUNNING', error: null, result: {} };
      },
    },
    driver: { boot: { properties: {}, validate() {}, prepareRamdisk: async () => undefined } },
  });
  return { task, steps };
}

test('the agent installs the container image, with config drive and pull secret', async () => {
  const configdrive = gzipSync('drive').toString('base64');
  const { task, steps } = scene({ ...image, configdrive, image_pull_secret: 'user:hush' });
  await bootcDeploy.validate(task);
  assert.equal(await bootcDeploy.steps?.['execute_bootc_install']?.run(task, {}), 'wait for agent');
  assert.deepEqual(steps, [
    {
      interface: 'deploy',
      step: 'execute_bootc_install',
      args: {
        image_source: image.image_source,
        configdrive,
        oci_pull_secret: Buffer.from('user:hush').toString('base64'),
      },
    },
  ]);
});

test('a pull secret in base64 reaches the agent unchanged', async () => {
  const secret = Buffer.from('user:hush').toString('base64');
  const { task, steps } = scene({ ...image, image_pull_secret: secret });
  await bootcDeploy.validate(task);
  await bootcDeploy.steps?.['execute_bootc_install']?.run(task, {});
  assert.deepEqual(steps[0]?.['args'], { ...image, configdrive: null, oci_pull_secret: secret });
});

test('the agent gets null for a pull secret and a config drive that the instance does not have', async () => {
  const { task, steps } = scene(image);
  await bootcDeploy.steps?.['execute_bootc_install']?.run(task, {});
  assert.deepEqual(steps[0]?.['args'], { ...image, configdrive: null, oci_pull_secret: null });
});

test('an image other than a container image is refused, and so is a pull secret that is not text', async () => {
  for (const source of ['https://images.test/a.raw', 'oci://', '', undefined])
    await rejectsFault(
      Promise.resolve(bootcDeploy.validate(scene(source === undefined ? {} : { image_source: source }).task)),
      'InvalidParameter',
      /instance_info\/image_source: .*oci:\/\/registry\.example/,
    );
  const secret = scene({ ...image, image_pull_secret: { a: 1 } }).task;
  await rejectsFault(Promise.resolve(bootcDeploy.validate(secret)), 'InvalidParameter', /image_pull_secret/);
});

// CVE-2026-54422: a registry's pull secret that the installed container could read
test("maskSecrets, which masks the agent's record of the node, masks the pull secret", () => {
  assert.equal(maskSecrets({ image_pull_secret: 'user:hush' }).image_pull_secret, MASK);
});
