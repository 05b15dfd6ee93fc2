// The fields of `driver_info` that tell the agent's burn-in steps how long and how hard to load the machine.
import type { PropertySpec } from '#plugin-api';

const seconds = (what: string) => ({ description: `Seconds for which burn-in loads ${what}.` });

export const burnInProperties: Readonly<Record<string, PropertySpec>> = {
  agent_burnin_cpu_timeout: seconds('the CPUs; a day when not set'),
  agent_burnin_cpu_cpu: { description: 'How many CPUs burn-in loads; 0, the default: all.' },
  agent_burnin_vm_timeout: seconds('the memory; a day when not set'),
  'agent_burnin_vm_vm-bytes': { description: 'How much memory burn-in uses, such as 75%; 98% when not set.' },
  agent_burnin_fio_disk_runtime: seconds('the disks; 0, the default: until all loops are done'),
  agent_burnin_fio_disk_loops: { description: 'How many times burn-in writes the disks; 4 when not set.' },
  agent_burnin_fio_disk_smart_test: {
    description:
      'true: burn-in of disks ends with a SMART self-test of each disk; a failed self-test fails the step.',
  },
  agent_burnin_fio_network_runtime: seconds('the network in each direction; six hours when not set'),
  agent_burnin_fio_network_config: {
    description:
      'The first role of the node in burn-in of the network, and its partner: {"role": "writer", "partner": "HOST"}. The partner first has role reader; later both swap roles.',
  },
  agent_burnin_gpu_timeout: seconds('the GPUs; a day when not set'),
};
