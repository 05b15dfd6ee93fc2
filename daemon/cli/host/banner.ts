// The text printed when the daemon is ready: what is enabled, and the commands to try next.

const IPMI_ACCESS = ['address=BMC', 'username=USER', 'password=PASSWORD']
  .map((value) => ` --driver-info ipmi_${value}`)
  .join('');

const CREDENTIALS = {
  noauth: 'OS_AUTH_TYPE=none',
  http_basic: 'OS_AUTH_TYPE=http_basic OS_USERNAME=USER OS_PASSWORD=PASSWORD',
} as const;

export function banner(running: {
  readonly url: string;
  readonly authentication: keyof typeof CREDENTIALS;
  readonly hardwareTypes: readonly string[];
  readonly hooks: readonly string[];
  readonly database: string;
}): string {
  const driver = running.hardwareTypes.find((type) => type === 'ipmi') ?? running.hardwareTypes[0];
  return `
ironic-edge is ready: ${running.url}
  hardware types   ${running.hardwareTypes.join(', ')}
  inspection hooks ${running.hooks.join(', ')}
  database         ${running.database}

Next:
  export ${CREDENTIALS[running.authentication]} OS_ENDPOINT=${running.url}
  baremetal node create --driver ${driver} --name node-1${driver === 'ipmi' ? IPMI_ACCESS : ''}
  baremetal node manage node-1 --wait

`;
}
