// Runs ansible-playbook against a node's ramdisk, with the node's variables in a file that only the daemon can read.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { driverInfoText, fault, type JsonObject, runBounded, type Task } from '#plugin-api';
import { ansibleOptions } from '../options.ts';

const OWN_FOLDER = new URL('playbooks', import.meta.url).pathname;
const LONGEST_REASON = 1000;
const LIMITS = { memoryMebibytes: 4096, fileMebibytes: 4096 };

/**
 * Runs the playbook with `variables` in its variable `ironic`. Throws AgentFailed when Ansible fails, is not installed or exceeds
 * its time limit, and AgentUnreachable when the agent's address is not known.
 */
export async function runPlaybook(task: Task, variables: JsonObject): Promise<void> {
  const options = ansibleOptions(task);
  const folder = await mkdtemp(path.join(tmpdir(), 'ansible-'));
  const failed = (reason: string) =>
    fault('AgentFailed', { node: task.node.uuid, command: `the playbook ${playbookOf(task)}`, reason });
  try {
    const [inventory, values] = [path.join(folder, 'inventory.json'), path.join(folder, 'variables.json')];
    await writeSecret(inventory, inventoryOf(task));
    await writeSecret(values, { ironic: variables });
    await mkdir(path.join(folder, 'tmp'));
    const { exit, timedOut, output } = await runBounded({
      program: options.ansible_playbook_script,
      argumentList: [playbookOf(task), '-i', inventory, '-e', `@${values}`, ...extraArguments(task)],
      limits: { ...LIMITS, seconds: options.playbook_timeout },
      environment: {
        HOME: folder,
        ANSIBLE_CONFIG: options.config_file_path ?? path.join(OWN_FOLDER, 'ansible.cfg'),
        ANSIBLE_LOCAL_TEMP: path.join(folder, 'tmp'),
        ANSIBLE_NOCOLOR: '1',
      },
      signal: task.signal,
    });
    if (timedOut)
      throw failed(`it did not end within ${options.playbook_timeout} s ([ansible] playbook_timeout)`);
    if (exit === 127)
      throw failed(`${options.ansible_playbook_script} is not installed; apt install ansible-core`);
    if (exit !== 0) throw failed(`status ${exit}: ${failureIn(output)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const writeSecret = (file: string, content: JsonObject): Promise<void> =>
  writeFile(file, JSON.stringify(content), { mode: 0o600, flag: 'wx' });

/**
 * Returns the path of the playbook in [ansible] playbooks_path or, when that option is not set, in this plugin's own folder. If
 * `ansible_deploy_playbook` in `driver_info` is a path, only its last part is used.
 */
export function playbookOf(task: Task): string {
  const { playbooks_path: folder, default_deploy_playbook: usual } = ansibleOptions(task);
  const name = driverInfoText(task.node, 'ansible_deploy_playbook', usual);
  return path.join(folder ?? OWN_FOLDER, path.basename(name));
}

/** The inventory for Ansible: the node in the group `nodes`, and this host as `conductor`, where some playbooks begin. */
function inventoryOf(task: Task): JsonObject {
  const options = ansibleOptions(task);
  const { uuid } = task.node;
  const key = options.default_key_file;
  const interpreter = driverInfoText(
    task.node,
    'ansible_python_interpreter',
    options.default_python_interpreter ?? '',
  );
  const host = {
    ansible_host: addressOf(task),
    ansible_user: userOf(task),
    ...(key !== null && { ansible_ssh_private_key_file: key }),
    ...(interpreter !== '' && { ansible_python_interpreter: interpreter }),
  };
  return {
    all: {
      hosts: { conductor: { ansible_connection: 'local' } },
      children: { nodes: { hosts: { [uuid]: host } } },
    },
  };
}

export const userOf = (task: Task): string =>
  driverInfoText(task.node, 'ansible_username', ansibleOptions(task).default_username);

/** Returns the IP address or host name of the ramdisk's agent. Throws AgentUnreachable when the agent has sent no heartbeat. */
function addressOf({ node }: Task): string {
  const { agent_url: url } = node.driver_internal_info;
  const host = typeof url === 'string' ? URL.parse(url)?.hostname : undefined;
  if (host !== undefined) return host.replace(/^\[(.*)\]$/, '$1');
  throw fault('AgentUnreachable', { node: node.uuid, url: 'no address', reason: 'it has sent no heartbeat' });
}

function extraArguments(task: Task): readonly string[] {
  const { verbosity, ansible_extra_args: extra } = ansibleOptions(task);
  const words = (extra ?? '').split(' ').filter((word) => word !== '');
  return verbosity === 0 ? words : [`-${'v'.repeat(verbosity)}`, ...words];
}

/**
 * Returns, on one line, Ansible's message about the last failure, because a playbook may ignore earlier ones. If there is none,
 * returns the end of the output before the recap.
 */
export function failureIn(output: string): string {
  const [played = ''] = output.split('\nPLAY RECAP', 1);
  const begin = [...played.matchAll(/^(?:fatal|ERROR!|\[ERROR\])/gm)].at(-1)?.index;
  const told = played.slice(begin ?? -LONGEST_REASON).slice(0, LONGEST_REASON);
  return told.split(/\s+/).join(' ').trim();
}
