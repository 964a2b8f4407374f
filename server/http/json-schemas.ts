import { z } from "zod";

/** The part of JSON Schema (draft 2020-12) that our documents use. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
};

const COMPONENTS = "#/components/schemas/";

/** The shared schemas of a document: those with an id set by `.meta({ id })`. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** The JSON Schema of a zod schema, with shared parts replaced by references. */
  schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const { $defs = {}, ...root } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, definition] of Object.entries($defs)) this.schemas[name] = tidy(definition);
    const id = z.globalRegistry.get(schema)?.id;
    if (id === undefined || root.$ref !== undefined) return tidy(root);
    this.schemas[id] = tidy(root);
    return { $ref: COMPONENTS + id };
  }
}

/** Omitted because they tell a reader nothing new. */
const NOISE = new Set(["$schema", "id", "propertyNames"]);

function tidy(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).flatMap(([name, value]: [string, unknown]) => {
    if (NOISE.has(name) || isRedundantPattern(name, schema)) return [];
    if (name === "$ref") return [[name, String(value).replace("#/$defs/", COMPONENTS)]];
    if (name === "properties") return [[name, mapValues(value as Record<string, JsonSchema>)]];
    return [[name, tidyValue(name, value)]];
  });
  return Object.fromEntries(entries) as JsonSchema;
}

/** A pattern adds nothing to a format, and patterns don't apply to numbers. */
const isRedundantPattern = (name: string, { format, type }: JsonSchema) =>
  name === "pattern" && (format !== undefined || type === "integer");

const NESTED = new Set(["items", "additionalProperties", "anyOf", "oneOf", "allOf", "not"]);

function tidyValue(name: string, value: unknown): unknown {
  if (!NESTED.has(name) || typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map((item: JsonSchema) => tidy(item)) : tidy(value);
}

const mapValues = (schemas: Record<string, JsonSchema>) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, tidy(schema)]));

/** The properties of an object schema, including all parts of an intersection. */
export function fieldsOf({ properties = {}, required = [], allOf = [] }: JsonSchema): {
  properties: Record<string, JsonSchema>;
  required: string[];
} {
  const parts = allOf.map(fieldsOf);
  return {
    properties: Object.assign({}, properties, ...parts.map((part) => part.properties)) as Record<
      string,
      JsonSchema
    >,
    required: [...required, ...parts.flatMap((part) => part.required)],
  };
}
