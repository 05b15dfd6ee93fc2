import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  type Installation,
  kickstartOf,
  placeholders,
  templateFlaw,
} from '../../../../plugins/agent/anaconda/kickstart.ts';

const own = readFileSync(
  new URL('../../../../plugins/agent/anaconda/ks.cfg.template', import.meta.url),
  'utf8',
);
const installation: Installation = {
  imageUrl: 'http://images.test/os.tar.gz',
  sha256: null,
  configDrive: [],
  token: 'the-token',
  heartbeatUrl: 'http://10.0.0.1:6385/v1/heartbeat/uuid',
  insecure: false,
};
const filled = (change: Partial<Installation> = {}, template = own) =>
  kickstartOf(template, { ...installation, ...change });

test("the daemon's own template has no flaw and installs the image", () => {
  assert.equal(templateFlaw(own), undefined);
  const text = filled();
  assert.doesNotMatch(text, /[{}]{2}/);
  assert.match(text, /^liveimg --url="http:\/\/images\.test\/os\.tar\.gz"$/m);
  assert.match(filled({ sha256: 'a'.repeat(64) }), /--checksum=a{64}$/m);
});

test('an image URL that ends with a slash is used as a repository of packages', () => {
  const text = filled({ imageUrl: 'http://mirror.test/os/' });
  assert.match(text, /^url --url="http:\/\/mirror\.test\/os\/"\n%packages --ignoremissing\n%end$/m);
  assert.doesNotMatch(text, /liveimg/);
});

test('the reports are scripts that a shell understands, with the token and the status', () => {
  for (const status of ['start', 'end', 'error']) {
    const script = filled({}, `{{ report_${status} }}`);
    execFileSync('bash', ['-n', '-c', script]);
    const data = /--data '(.*)' '/.exec(script)?.[1] ?? '';
    const { agent_token, agent_status, callback_url } = JSON.parse(data) as Record<string, string>;
    assert.deepEqual([agent_token, agent_status, callback_url], ['the-token', status, '']);
    assert.equal(script.includes('--insecure'), false);
  }
  assert.match(filled({ insecure: true }, '{{ report_end }}'), /--insecure/);
});

test('the files of the config drive are decoded to where cloud-init looks for them', () => {
  const content = `#cloud-config\n${'x'.repeat(500)}\n`;
  const script = filled({ configDrive: [['openstack/latest/user_data', content]] }, '{{ config_drive }}');
  const [first, ...rest] = script.split('\n');
  assert.deepEqual([first, rest.at(-1)], ['%post', '%end']);
  const body = rest
    .slice(0, -1)
    .join('\n')
    .replaceAll('/var/lib/cloud', '"$0"/cloud')
    .replaceAll('\'"$0"', '"$0"\'');
  const folder = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
  execFileSync('bash', ['-euc', body, folder]);
  const file = `${folder}/cloud/seed/config_drive/openstack/latest/user_data`;
  assert.equal(readFileSync(file, 'utf8'), content);
  execFileSync('rm', ['-r', folder]);
});

test("placeholders may have Ironic's prefix ks_options.", () => {
  const template = '{{ ks_options.agent_token }} {{ks_options.heartbeat_url}}';
  assert.equal(templateFlaw(template), undefined);
  assert.equal(filled({}, template), 'the-token http://10.0.0.1:6385/v1/heartbeat/uuid');
});

// OSSA-2026-012, CVE-2026-44916: a kickstart template that runs code on the daemon's host
test('a template with logic is refused, and expressions of other template languages are left as text', () => {
  for (const hostile of [
    '{% for c in [].__class__.__base__.__subclasses__() %}{{ report_end }}{% endfor %}',
    '{# comment #}{{ report_end }}',
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    '{{ 7*7 }} {{ report_end }}',
    '{{ constructor }} {{ report_end }}',
    '{{ toString }} {{ report_end }}',
  ])
    assert.notEqual(templateFlaw(hostile), undefined, hostile);
  assert.equal(filled({}, '${7*7} <%= 7*7 %> {7*7} $(id)'), '${7*7} <%= 7*7 %> {7*7} $(id)');
});

test('names in braces within a value are not filled in', () => {
  const drive = [['openstack/{{ agent_token }}', 'content']] as const;
  assert.match(filled({ configDrive: drive }), /openstack\/\{\{ agent_token \}\}/);
  assert.equal(filled({ token: '{{ heartbeat_url }} $&' }, '{{ agent_token }}'), '{{ heartbeat_url }} $&');
});

test('templateFlaw names the unknown placeholder and the known ones, or the missing {{ report_end }}', () => {
  assert.match(templateFlaw('{{ image }}') ?? '', /it names \{\{ image \}\}; known are source, liveimg_url/);
  assert.match(templateFlaw('lang en_US') ?? '', /has no \{\{ report_end \}\}/);
  for (const name of placeholders) assert.equal(templateFlaw(`{{${name}}} {{ report_end }}`), undefined);
});
