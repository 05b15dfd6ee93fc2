// Parts of the JSON Schemas that describe requests and answers. Those of records are built from the field tables.
import type { Schema } from '../lib/json/typed-schema.ts';
import { type FieldTable, shownSchema } from '../model/records/fields.ts';
import { MINIMUM_MINOR, versionText } from '../model/microversions.ts';

export type Properties = Readonly<Record<string, Schema>>;
export interface ObjectSchema extends Schema {
  readonly properties: Properties;
  readonly required: readonly string[];
}

/** An object with only these properties. A titled one is described once in the OpenAPI document. */
export const objectSchema = (
  properties: Properties,
  required: readonly string[],
  title?: string,
): ObjectSchema => ({
  ...(title !== undefined && { title }),
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** An object that always has all of these properties. */
export const wholeSchema = (properties: Properties, title?: string): ObjectSchema =>
  objectSchema(properties, Object.keys(properties), title);

export const listSchema = (items: Schema): Schema => ({ type: 'array', items });
export const mapSchema = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });
export const textSchema: Schema = { type: 'string' };
export const flagSchema: Schema = { type: 'boolean' };
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** The keyword for the version that introduced something, as in OpenStack's OpenAPI documents. */
const SINCE_KEYWORD = 'x-openstack';

/** Adds to a schema, parameter or operation the API version that introduced it, unless that is the oldest supported version. */
export const versioned = <T extends object>(minor: number, described: T): T =>
  minor > MINIMUM_MINOR ? { ...described, [SINCE_KEYWORD]: { 'min-ver': versionText(minor) } } : described;

/** The schemas of the fields as the API shows them, each with its version. */
export const fieldSchemas = (fields: FieldTable): Properties =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, versioned(field.since, shownSchema(field))]),
  );

/** The schema of the body that creates a record, with the version of each field. */
export const createSchema = (fields: FieldTable, required: readonly string[]): ObjectSchema =>
  objectSchema(
    Object.fromEntries(
      Object.entries(fields)
        .filter(([, { create }]) => create === true)
        .map(([name, { since, schema }]) => [name, versioned(since, schema)]),
    ),
    required,
  );

export interface Link {
  readonly href: string;
  readonly rel: string;
}

/** Returns the links of a resource: `self` with `/v1` in its URL, `bookmark` without. */
export const linkPair = (baseUrl: string, path: string): readonly Link[] => [
  { href: `${baseUrl}/v1/${path}`, rel: 'self' },
  { href: `${baseUrl}/${path}`, rel: 'bookmark' },
];

export const linkSchema = objectSchema(
  { href: { type: 'string', format: 'uri' }, rel: textSchema, type: textSchema },
  ['href', 'rel'],
  'Link',
);
export const linksSchema = listSchema(linkSchema);

/** A resource with its links, which are shown whichever fields are requested. */
export const linkedSchema = (title: string, properties: Properties): ObjectSchema =>
  objectSchema({ ...properties, links: linksSchema }, ['links'], title);

/** A page of a list. */
export const pageSchema = (key: string, items: Schema): ObjectSchema =>
  objectSchema({ [key]: listSchema(items), next: { type: 'string', format: 'uri' } }, [key]);
