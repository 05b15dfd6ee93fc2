// The events that move a node from one provision state to the next.

export type ProvisionEvent =
  | 'manage'
  | 'provide'
  | 'clean'
  | 'inspect'
  | 'adopt'
  | 'deploy'
  | 'rebuild'
  | 'delete'
  | 'rescue'
  | 'unrescue'
  | 'service'
  | 'abort'
  | 'unhold'
  | 'done'
  | 'fail'
  | 'wait'
  | 'resume'
  | 'hold';

/** The events that lead into a state of class `wait` or `hold`. */
export type WaitEvent = 'wait' | 'hold' | 'unhold';
