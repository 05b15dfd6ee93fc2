// The tools that validate the OpenAPI document and fuzz the API from it.
import { pythonEnvironment } from './python-environment.ts';

const environment = pythonEnvironment('openapi-tools', [
  'openapi-spec-validator==0.9.0',
  'schemathesis==4.32.5',
]);

export const { install: installOpenApiTools, skipWithout: skipWithoutOpenApiTools } = environment;

/** The commands that fuzz the API and validate the document. */
export const schemathesis = environment.program('schemathesis');
export const openApiSpecValidator = environment.program('openapi-spec-validator');
