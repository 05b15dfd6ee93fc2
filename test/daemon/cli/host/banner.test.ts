import assert from 'node:assert/strict';
import { test } from 'node:test';
import { banner } from '../../../../daemon/cli/host/banner.ts';

const running = {
  url: 'https://127.0.0.1:6385',
  authentication: 'noauth',
  hardwareTypes: ['fake-hardware'],
  hooks: ['ports'],
  database: '/var/lib/ironic-edge/ironic-edge.sqlite',
} as const;

test('the banner shows the endpoint and the authentication type for clients', () => {
  assert.match(banner(running), /^ +export OS_AUTH_TYPE=none OS_ENDPOINT=https:\/\/127\.0\.0\.1:6385$/m);
  assert.match(
    banner({ ...running, authentication: 'http_basic' }),
    /^ +export OS_AUTH_TYPE=http_basic OS_USERNAME=USER OS_PASSWORD=PASSWORD OS_ENDPOINT=https:/m,
  );
});
