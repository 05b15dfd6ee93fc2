// What a section of the configuration may declare, in the core and in a plugin's manifest alike: JSON Schema, cut down
// to what one line of an INI file or one environment variable can say.
import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false };
const description = Type.Optional(Type.String({ minLength: 1 }));
/** `path`: a relative path is taken from the working directory and made absolute. */
const format = Type.Optional(Type.Literal('path'));

const textOption = Type.Object(
  {
    type: Type.Literal('string'),
    default: Type.Optional(Type.String()),
    enum: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
    format,
    description,
  },
  closed,
);

const integerOption = Type.Object(
  {
    type: Type.Literal('integer'),
    default: Type.Optional(Type.Integer()),
    minimum: Type.Optional(Type.Integer()),
    maximum: Type.Optional(Type.Integer()),
    description,
  },
  closed,
);

const numberOption = Type.Object(
  {
    type: Type.Literal('number'),
    default: Type.Optional(Type.Number()),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    description,
  },
  closed,
);

const booleanOption = Type.Object(
  { type: Type.Literal('boolean'), default: Type.Optional(Type.Boolean()), description },
  closed,
);

const listOption = Type.Object(
  {
    type: Type.Literal('array'),
    items: Type.Object({ type: Type.Literal('string'), format }, closed),
    default: Type.Optional(Type.Array(Type.String())),
    description,
  },
  closed,
);

/** One option. Without a `default` its value is null until it is set. */
export type OptionSchema = Static<
  typeof textOption | typeof integerOption | typeof numberOption | typeof booleanOption | typeof listOption
>;

// Lower case without doubled underscores, so that IRONIC_<SECTION>__<OPTION> names exactly one option.
const WORDS = '[a-z][a-z0-9]*(?:_[a-z0-9]+)*';
const optionName = Type.String({ pattern: `^${WORDS}$` });
const sectionName = Type.String({ pattern: `^(?:DEFAULT|(?!default$)${WORDS})$` });

const sectionSchema = Type.Object(
  {
    type: Type.Literal('object'),
    properties: Type.Record(
      optionName,
      Type.Union([textOption, integerOption, numberOption, booleanOption, listOption]),
      closed,
    ),
  },
  closed,
);

/** JSON Schema of `configuration` in a plugin's manifest: sections by name. */
export const configurationSchema = Type.Record(sectionName, sectionSchema, closed);

/** Sections by name, each `{ type: 'object', properties: { <option>: OptionSchema } }`. */
export type SectionSchemas = Static<typeof configurationSchema>;

/** The value of an option once it is loaded; null is an option that has no default and is not set. */
export type OptionValue = string | number | boolean | readonly string[] | null;
