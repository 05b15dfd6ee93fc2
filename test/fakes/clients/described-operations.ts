// Checks answers against the OpenAPI document: each operation's statuses and fields at an API version.
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Answer } from '../daemon/in-process-daemon.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Minor of the first API version that has the operation. */
  readonly since: number;
  readonly responses: Json;
  /** The schema of the request's body; undefined when the operation takes none. */
  readonly body: Json | undefined;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export function describedOperations(document: Json) {
  const operations = Object.entries(document['paths'] as Readonly<Record<string, Json>>).flatMap(
    ([path, item]) =>
      METHODS.filter((method) => method in item).map((method) =>
        operationOf(path, method, item[method] as Json),
      ),
  );
  const validators = new Map<string, ValidateFunction>();
  const conform = (schema: Json, minor: number, value: unknown, which: string): void => {
    const known = atVersion(document, schema, minor) as Json;
    const key = JSON.stringify(known);
    const validate = validators.get(key) ?? compile(known);
    validators.set(key, validate);
    assert.ok(validate(value), `${which} ${JSON.stringify(validate.errors)}`);
  };
  return {
    operations,
    /** The versions that add the operation or a field of its answer with status 200, the versions before those, and 1.115. */
    turningPoints(operation: Operation): readonly number[] {
      const whole = JSON.stringify(atVersion(document, operation.responses['200'], 115));
      const since = [...whole.matchAll(/"min-ver":"1\.(\d+)"/g)].map(([, minor]) => Number(minor));
      const points = [operation.since, ...since].flatMap((minor) => [minor - 1, minor]);
      return [...new Set([...points, 115])].filter((minor) => minor > 0);
    },
    /** Returns the operation of a request; fails the test when none is described. */
    find(method: string, path: string): Operation {
      const plain = path.replace(/\?.*/, '');
      const fitting = operations.filter((each) => each.method === method && fits(each.path, plain));
      // `/v1/nodes/detail` is not the node `detail`: of the paths that fit, the one with the fewest parameters is meant
      const [found] = fitting.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
      assert.ok(found, `${method} ${path} is not described`);
      return found;
    },
    /** Checks that the answer has a described status, and a body that conforms to the status's schema at the version. */
    judge(
      operation: Operation,
      minor: number,
      { status, text, json }: Pick<Answer, 'status' | 'text' | 'json'>,
    ): void {
      const which = `${operation.id} 1.${minor} ${status} ${text}`;
      const response = resolved(document, operation.responses[String(status)]);
      assert.ok(response, `${which}: the status is not described`);
      const { content } = response as Partial<Body>;
      assert.equal(json !== undefined, content !== undefined, which);
      if (content !== undefined) conform(content['application/json'].schema, minor, json, which);
    },
    /** Checks that the operation takes a body, and that `body` conforms to its schema at the version. */
    judgeBody({ id, body: schema }: Operation, minor: number, body: unknown): void {
      if (body instanceof Uint8Array) return;
      assert.ok(schema, `${id} takes no body`);
      conform(schema, minor, body, `${id} 1.${minor} ${JSON.stringify(body)}`);
    },
  };
}

interface Body {
  readonly content: { readonly 'application/json': { readonly schema: Json } };
}

function operationOf(path: string, method: string, described: Json): Operation {
  return {
    id: String(described['operationId']),
    method: method.toUpperCase(),
    path,
    since: sinceOf(described),
    responses: described['responses'] as Json,
    body: (described['requestBody'] as Partial<Body> | undefined)?.content?.['application/json']?.schema,
  };
}

const sinceOf = (described: Json): number =>
  Number((described['x-openstack'] as { 'min-ver'?: string } | undefined)?.['min-ver']?.slice(2) ?? 1);

const fits = (template: string, path: string): boolean =>
  new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`).test(path);

function resolved(document: Json, part: unknown): unknown {
  const { $ref: reference } = (part ?? {}) as { $ref?: string };
  if (reference === undefined) return part;
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((place, name) => (place as Json)[name], document);
}

function compile(schema: Json): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, keywords: ['x-openstack'] });
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/);
  ajv.addFormat('uri', (text) => URL.canParse(text));
  return ajv.compile(schema);
}

/** The schema with references replaced by what they name, and without properties that are newer than the version. */
function atVersion(document: Json, part: unknown, minor: number): unknown {
  if (Array.isArray(part)) return part.map((each) => atVersion(document, each, minor));
  const place = resolved(document, part);
  if (typeof place !== 'object' || place === null) return place;
  const known = Object.entries(place).map(([name, each]) => [
    name,
    name === 'properties' ? knownProperties(each as Readonly<Record<string, Json>>, minor) : each,
  ]);
  return Object.fromEntries(known.map(([name, each]) => [name, atVersion(document, each, minor)]));
}

const knownProperties = (properties: Readonly<Record<string, Json>>, minor: number): Json =>
  Object.fromEntries(Object.entries(properties).filter(([, property]) => sinceOf(property) <= minor));
