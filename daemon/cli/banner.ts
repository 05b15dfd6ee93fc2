// What the daemon says when it is ready: what is enabled, and what to type next.

export function banner(running: {
  readonly url: string;
  readonly hardwareTypes: readonly string[];
  readonly hooks: readonly string[];
  readonly database: string;
}): string {
  const [driver = 'ipmi'] = running.hardwareTypes;
  return `
ironic-edge is ready: ${running.url}
  hardware types   ${running.hardwareTypes.join(', ')}
  inspection hooks ${running.hooks.join(', ')}
  database         ${running.database}

Next:
  export OS_AUTH_TYPE=none OS_ENDPOINT=${running.url}
  baremetal node create --driver ${driver} --name node-1 --driver-info ipmi_address=BMC --driver-info ipmi_username=USER --driver-info ipmi_password=PASSWORD
  baremetal node manage node-1 --wait

`;
}
