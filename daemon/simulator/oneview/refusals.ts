// The error documents of a simulated OneView appliance.
import type { JsonObject } from '../../model/json.ts';
import type { Reply } from '../server.ts';

export const errorDocument = (errorCode: string, message: string): JsonObject => ({
  errorCode,
  message,
  details: '',
  errorSource: null,
  data: {},
  nestedErrors: [],
  recommendedActions: [],
});

export const refusal = (status: number, errorCode: string, message = `Refused: ${errorCode}.`): Reply => ({
  status,
  body: errorDocument(errorCode, message),
});

export const notFound = (path: string): Reply => refusal(404, 'RESOURCE_NOT_FOUND', `There is no ${path}.`);
