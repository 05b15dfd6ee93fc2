// The error documents of a simulated OneView appliance.
import type { JsonObject } from '../../model/json.ts';
import type { ServedReply } from '../server.ts';

export const applianceError = (errorCode: string, message: string): JsonObject => ({
  errorCode,
  message,
  details: '',
  errorSource: null,
  data: {},
  nestedErrors: [],
  recommendedActions: [],
});

export const applianceRefusal = (
  status: number,
  errorCode: string,
  message = `Refused: ${errorCode}.`,
): ServedReply => ({
  status,
  body: applianceError(errorCode, message),
});

export const resourceNotFound = (path: string): ServedReply =>
  applianceRefusal(404, 'RESOURCE_NOT_FOUND', `There is no ${path}.`);
