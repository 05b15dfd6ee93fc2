// The fault of a server profile that could not be applied or removed.
import { defineFault } from '#plugin-api';

export const profileFailed = defineFault(
  'OneviewProfileFailed',
  500,
  'The server profile of node {node} could not be changed: {reason}',
);
