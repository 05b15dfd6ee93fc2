// Where a node goes when work on it is interrupted, by the state that the work is done in.
import type { ProvisionState } from '../../daemon/model/states/provision-states.ts';

export const interruptedStates: Readonly<Partial<Record<ProvisionState, ProvisionState>>> = {
  verifying: 'enroll',
  cleaning: 'clean failed',
  inspecting: 'inspect failed',
  adopting: 'adopt failed',
  deploying: 'deploy failed',
  deleting: 'error',
  rescuing: 'rescue failed',
  unrescuing: 'unrescue failed',
  servicing: 'service failed',
};
