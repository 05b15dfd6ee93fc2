import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ConfigurationError } from '../../../daemon/config/configuration-error.ts';
import { type LoadedConfig, loadConfig } from '../../../daemon/config/load.ts';
import type { SectionSource } from '../../../daemon/config/options.ts';

const machine = { hostname: 'edge-1', address: '192.0.2.10', workingDirectory: '/srv/edge' };
const acme: SectionSource = {
  declaredBy: 'plugin acme',
  sections: {
    acme: {
      type: 'object',
      properties: {
        port: { type: 'integer', default: 443, minimum: 1, maximum: 65535 },
        password: { type: 'string' },
        retry_ratio: { type: 'number', default: 0.5, maximum: 1 },
        users: { type: 'array', items: { type: 'string' } },
        label: { type: 'string', default: 'at $host' },
        alias: { type: 'array', items: { type: 'string' }, default: [], repeatable: true },
      },
    },
  },
};

function load(
  text: string,
  environment: Record<string, string> = {},
  sections: SectionSource[] = [acme],
): LoadedConfig {
  return loadConfig({ file: { path: 'ironic.conf', text }, environment, sections, machine });
}

function problems(text: string, environment: Record<string, string> = {}): readonly string[] {
  try {
    load(text, environment);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    assert.deepEqual(error.message.split('\n  ').slice(1), error.problems);
    return error.problems;
  }
  return assert.fail('the configuration was accepted');
}

test('without a file or environment every option has its default', () => {
  const { config, values, sources, warnings, file } = loadConfig({
    file: undefined,
    environment: {},
    sections: [acme],
    machine,
  });
  assert.equal(file, undefined);
  assert.equal(config.DEFAULT.host, 'edge-1');
  assert.equal(config.DEFAULT.my_ip, '192.0.2.10');
  assert.equal(config.DEFAULT.auth_strategy, 'noauth');
  assert.equal(config.DEFAULT.state_path, '/srv/edge/state');
  assert.equal(config.database.path, '/srv/edge/state/ironic-edge.sqlite');
  assert.equal(config.DEFAULT.default_deploy_interface, null);
  assert.deepEqual(config.DEFAULT.enabled_power_interfaces, []);
  assert.deepEqual(config.inspector.hooks, ['ramdisk-error', 'validate-interfaces', 'ports', 'architecture']);
  assert.equal(config.conductor.automated_clean, true);
  assert.deepEqual(values['acme'], {
    port: 443,
    password: null,
    alias: [],
    retry_ratio: 0.5,
    users: null,
    label: 'at edge-1',
  });
  assert.deepEqual(sources['acme']?.['port'], { kind: 'default' });
  assert.deepEqual(warnings, []);
});

test('the environment overrides the file, and both override defaults', () => {
  const { config, values, sources } = load('[api]\nport = 1\nmax_limit = 50\n[acme]\npassword = a;b#c\n', {
    IRONIC_API__PORT: '2',
    ironic_api__port: '3',
    IRONIC_acme__Users: 'root, admin,',
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'ipmi,redfish',
    IRONIC_CONFIG_FILE: '/nowhere',
    HOME: '/root',
  });
  assert.equal(config.api.port, 2);
  assert.equal(config.api.max_limit, 50);
  assert.deepEqual(config.DEFAULT.enabled_hardware_types, ['ipmi', 'redfish']);
  assert.equal(values['acme']?.['password'], 'a;b#c');
  assert.deepEqual(values['acme']['users'], ['root', 'admin']);
  assert.deepEqual(sources['api'], {
    ...sources['api'],
    port: { kind: 'environment', variable: 'IRONIC_API__PORT' },
    max_limit: { kind: 'file', file: 'ironic.conf', line: 3 },
    host_ip: { kind: 'default' },
  });
});

test('booleans accept the oslo.config words in any case', () => {
  for (const word of ['1', 't', 'True', 'ON', 'y', 'yes']) {
    assert.equal(load(`[DEFAULT]\ndebug = ${word}\n`).config.DEFAULT.debug, true, word);
  }
  for (const word of ['0', 'F', 'false', 'off', 'N', 'no']) {
    assert.equal(load(`[agent]\nrequire_tls = ${word}\n`).config.agent.require_tls, false, word);
  }
});

test('references resolve to options of the same section, of DEFAULT and of a named section', () => {
  const { config, values } = load(
    [
      '[DEFAULT]\nmy_ip = 10.0.0.1\nstate_path = /var/lib/edge',
      '[api]\npublic_endpoint = http://$my_ip:${port}/',
      '[inspector]\nhooks = $default_hooks,\n  acme-asset-tag',
      '[acme]\nlabel = $api.port ${DEFAULT.my_ip} \\$x $$y $1 $',
    ].join('\n'),
  );
  assert.equal(config.api.public_endpoint, 'http://10.0.0.1:6385/');
  assert.equal(config.inspector.hooks.at(-1), 'acme-asset-tag');
  assert.equal(config.inspector.hooks.length, 5);
  assert.equal(config.database.path, '/var/lib/edge/ironic-edge.sqlite');
  assert.equal(values['acme']?.['label'], '6385 10.0.0.1 $x $y $1 $');
});

test('an unknown or circular reference and one to an invalid option are reported', () => {
  const found = problems(
    '[DEFAULT]\ndefault_resource_class = $no_such\nhost = ${api.public_endpoint}\n[api]\npublic_endpoint = $host\nport = x\n[acme]\nlabel = $api.port\npassword = pa$word\n',
  );
  assert.deepEqual(found, [
    'ironic.conf:3: [DEFAULT] host = "${api.public_endpoint}": expected [api] public_endpoint to be usable',
    'ironic.conf:2: [DEFAULT] default_resource_class = "$no_such": expected "no_such" to be the name of an option; write $$ for a dollar sign',
    'ironic.conf:6: [api] port = "x": expected an integer from 0 to 65535',
    'ironic.conf:5: [api] public_endpoint = "$host": expected no circle of references: [DEFAULT] host -> [api] public_endpoint -> [DEFAULT] host',
    'ironic.conf:9: [acme] password = "******": expected "******" to be the name of an option; write $$ for a dollar sign',
    'ironic.conf:8: [acme] label = "$api.port": expected [api] port to be usable',
  ]);
});

test('all invalid values and unreadable lines are reported together with their locations', () => {
  const found = problems(
    '[api]\nport = 70000\nmax_limit =\nenable_ramdisk_endpoints = maybe\nword\n[acme]\nretry_ratio = 2\n',
    { IRONIC_CONDUCTOR__WORKERS_POOL_SIZE: '2.5', IRONIC_DATABASE__PATH: '' },
  );
  assert.deepEqual(found, [
    'ironic.conf:5: expected "option = value", "[section]" or "# comment"',
    'ironic.conf:2: [api] port = "70000": expected an integer from 0 to 65535',
    'ironic.conf:3: [api] max_limit = "": expected an integer of at least 1',
    'ironic.conf:4: [api] enable_ramdisk_endpoints = "maybe": expected true or false (or yes/no, on/off, 1/0)',
    'IRONIC_CONDUCTOR__WORKERS_POOL_SIZE: [conductor] workers_pool_size = "2.5": expected an integer of at least 3',
    'IRONIC_DATABASE__PATH: [database] path = "": expected a path',
    'ironic.conf:7: [acme] retry_ratio = "2": expected a number of at most 1',
  ]);
});

test('an unsupported auth_strategy is rejected', () => {
  assert.deepEqual(problems('[DEFAULT]\nauth_strategy = keystone\n'), [
    'ironic.conf:2: [DEFAULT] auth_strategy = "keystone": expected one of noauth, http_basic',
  ]);
});

test('an invalid default is reported with the name of the plugin that declares it', () => {
  const bad: SectionSource = {
    declaredBy: 'plugin bad',
    sections: { bad: { type: 'object', properties: { level: { type: 'integer', default: 9, maximum: 5 } } } },
  };
  assert.throws(() => load('', {}, [bad]), {
    problems: ['default of plugin bad: [bad] level = "9": expected an integer of at most 5'],
  });
});

test('likely typos get a suggestion each and other unknown options share one warning', () => {
  const { warnings } = load(
    [
      '[DEFAULT]\ndebugg = 1\nrpc_transport = none',
      '[agnet]\nrequire_tls = false\nimage_download_source = http',
      '[pxe]\ntftp_root = /tftpboot\ntftp_master_path = $my_ip',
      '[swift]\nregion_name = x',
    ].join('\n'),
  );
  assert.deepEqual(warnings, [
    'ironic.conf:2: there is no option [DEFAULT] debugg, so it is ignored; did you mean debug?',
    'ironic.conf:5: there is no section [agnet], so its options are ignored; did you mean [agent]?',
    'ironic.conf: unknown options (with line numbers), which are ignored: [DEFAULT] rpc_transport (3); [pxe] tftp_root (8), tftp_master_path (9); [swift] region_name (11)',
  ]);
});

test('an unknown IRONIC_SECTION__OPTION variable causes a warning, with a suggestion if the name of a known one is close', () => {
  const { warnings } = load('', {
    IRONIC_API__PROT: '1',
    IRONIC_NOTHING__LIKE_THIS: '1',
    IRONIC_PORT_6385_TCP: 'tcp://',
  });
  assert.deepEqual(warnings, [
    'IRONIC_API__PROT does not match any option, so it is ignored; did you mean IRONIC_API__PORT?',
    'IRONIC_NOTHING__LIKE_THIS does not match any option, so it is ignored',
  ]);
});

test('an old option name sets the option and causes a warning with the current name', () => {
  for (const name of ['clean_nodes', 'automated_clean_enable']) {
    const { config, warnings } = load(`[conductor]\n${name} = false\n`);
    assert.equal(config.conductor.automated_clean, false, name);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? '',
      new RegExp(`:2: \\[conductor\\] ${name} is the old name of automated_clean; it still works`),
    );
    const variable = `IRONIC_CONDUCTOR__${name.toUpperCase()}`;
    const fromEnvironment = load('', { [variable]: 'no' });
    assert.equal(fromEnvironment.config.conductor.automated_clean, false, variable);
    assert.match(fromEnvironment.warnings[0] ?? '', /is the old name of IRONIC_CONDUCTOR__AUTOMATED_CLEAN/);
  }
  const both = load('[conductor]\nclean_nodes = false\nautomated_clean = true\n');
  assert.equal(both.config.conductor.automated_clean, true);
  assert.match(both.warnings.join('\n'), /automated_clean is set again, which replaces/);
});

test('the last of two settings of an option applies, with a warning', () => {
  const inFile = load('[api]\nport = 1\nport = 2\n');
  assert.equal(inFile.config.api.port, 2);
  assert.deepEqual(inFile.warnings, ['ironic.conf:3: [api] port is set again, which replaces ironic.conf:2']);
  const inEnvironment = load('', { IRONIC_API__PORT: '1', IRONIC_api__port: '2' });
  assert.equal(inEnvironment.config.api.port, 2);
  assert.deepEqual(inEnvironment.warnings, [
    'IRONIC_api__port: [api] port is set again, which replaces IRONIC_API__PORT',
  ]);
});

test('lines of a repeatable option accumulate and the environment replaces them all', () => {
  const text = '[acme]\nalias = {"id": 1, "name": "a"}\nport = 1\nalias = {"id": 2, "name": "b"},c\n';
  const inFile = load(text);
  assert.deepEqual(inFile.values['acme']?.['alias'], [
    '{"id": 1, "name": "a"}',
    '{"id": 2, "name": "b"}',
    'c',
  ]);
  assert.deepEqual(inFile.warnings, []);
  assert.deepEqual(load(text, { IRONIC_ACME__ALIAS: 'd' }).values['acme']?.['alias'], ['d']);
});

test('settings of an option that holds NAME:VALUE pairs accumulate, and a malformed pair is rejected', () => {
  const { config, warnings } = load(`[conductor]
clean_step_priority_override = deploy.erase_devices:0, bios.reset:5
clean_step_priority_override = raid.create_configuration:7
automated_cleaning_runbook_by_resource_class = large:wipe twice
`);
  assert.deepEqual(config.conductor.clean_step_priority_override, [
    'deploy.erase_devices:0',
    'bios.reset:5',
    'raid.create_configuration:7',
  ]);
  assert.deepEqual(config.conductor.automated_cleaning_runbook_by_resource_class, ['large:wipe twice']);
  assert.deepEqual(warnings, []);
  const [problem] = problems('[conductor]\nverify_step_priority_override = bios.reset:high\n');
  assert.match(problem ?? '', /expected a list of NAME:PRIORITY/);
});

test("Ironic's [database] connection is ignored with a warning that does not show its password", () => {
  const { warnings, config } = load('[database]\nconnection = mysql://ironic:hunter2@db/ironic\n');
  assert.equal(config.database.path, '/srv/edge/state/ironic-edge.sqlite');
  assert.deepEqual(warnings, [
    'ironic.conf:2: [database] connection is ignored; the database is the SQLite file [database] path',
  ]);
});

test('relative paths resolve against the working directory', () => {
  const { config } = load('[DEFAULT]\nstate_path = here\n[plugins]\npath = a, /opt/b\n');
  assert.equal(config.DEFAULT.state_path, '/srv/edge/here');
  assert.deepEqual(config.plugins.path, ['/srv/edge/a', '/opt/b']);
});

test('names of Object.prototype members are unknown sections and options', () => {
  const { warnings } = load('[constructor]\nx = 1\n[__proto__]\nx = 1\n[api]\ntoString = 1\n');
  assert.deepEqual(warnings, [
    'ironic.conf: unknown options (with line numbers), which are ignored: [constructor] x (2); [__proto__] x (4); [api] toString (6)',
  ]);
});

test('any file and environment either load or throw a ConfigurationError', () => {
  const word = fc.constantFrom(
    'api',
    'DEFAULT',
    'port',
    'host',
    'hooks',
    '$host',
    '${',
    '=',
    '[',
    ']',
    '\n',
    ' ',
    ',',
  );
  const text = fc.array(fc.oneof(word, fc.string({ maxLength: 4 }))).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, text, (file, host, endpoint) => {
      try {
        const loaded = load(file, { IRONIC_DEFAULT__HOST: host, IRONIC_API__PUBLIC_ENDPOINT: endpoint });
        assert.equal(typeof loaded.config.DEFAULT.host, 'string');
      } catch (error) {
        assert.ok(error instanceof ConfigurationError, String(error));
        assert.ok(error.problems.length > 0);
      }
    }),
  );
});
