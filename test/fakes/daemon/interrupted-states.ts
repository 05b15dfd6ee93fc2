// The state that a node enters when work on it is interrupted, for each state in which work is done.
import type { ProvisionState } from '../../../daemon/model/states/provision-states.ts';

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
