import type { JsonSchema } from "#server/http/json-schemas.ts";

import { type Html, html, inline } from "./html.ts";

/** Schemas by the name that references use. */
export type Schemas = Record<string, JsonSchema>;

/** Resolves a reference to its schema. */
function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : { ...schemas[name], ...schema };
}

/** Describes a type in a few words: "string", "list of strings or null", "one of a, b". */
export function typeOf(schema: JsonSchema, schemas: Schemas): string {
  const { type, anyOf, items, format } = resolved(schema, schemas);
  if (anyOf) return joined(anyOf.map((branch) => typeOf(branch, schemas)));
  if (Array.isArray(type))
    return joined(type.map((name) => typeOf({ type: name, items }, schemas)));
  if (type === "array") return items ? `list of ${plural(typeOf(items, schemas))}` : "list";
  return format === "uuid" ? "UUID" : (type ?? "any value");
}

const joined = (names: string[]) => [...new Set(names)].join(" or ");

const plural = (name: string) =>
  name.split(" or ").length > 1 ? `(${name})` : name === "any value" ? "any values" : `${name}s`;

/** Describes each limit of a value. */
export function limitsOf(given: JsonSchema, schemas: Schemas): string[] {
  const schema = resolved(given, schemas);
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  return [
    ...between(schema.minimum, schema.maximum, ""),
    ...between(schema.minLength, schema.maxLength, " characters"),
    ...between(schema.minItems, schema.maxItems, " entries"),
    ...between(undefined, schema.maxProperties, " names"),
    ...(schema.default === undefined || isEmpty(schema.default)
      ? []
      : [`default ${JSON.stringify(schema.default)}`]),
    ...(values.length > 0 && values.length <= SHOWN_MAX
      ? [
          `${values.length > 1 ? "one of " : "always "}${values.map((value) => `\`${String(value)}\``).join(", ")}`,
        ]
      : []),
  ];
}

/** Longer enumerations are left to the description. */
const SHOWN_MAX = 12;

const isEmpty = (value: unknown) =>
  Array.isArray(value) && (value.length === 0 || value.length > SHOWN_MAX);

function between(min: number | undefined, max: number | undefined, unit: string): string[] {
  // An integer without a limit has the largest safe integer as its maximum.
  const upper =
    max === undefined || max >= Number.MAX_SAFE_INTEGER ? undefined : max.toLocaleString("en");
  const lower =
    min === undefined || min <= Number.MIN_SAFE_INTEGER ? undefined : min.toLocaleString("en");
  if (lower !== undefined && upper !== undefined) return [`${lower} to ${upper}${unit}`];
  if (upper !== undefined) return [`at most ${upper}${unit}`];
  return lower === undefined ? [] : [`at least ${lower}${unit}`];
}

/** Finds the object whose fields to list: the schema itself, its list items, or the first such branch. */
export function objectIn(given: JsonSchema, schemas: Schemas): JsonSchema | null {
  const schema = resolved(given, schemas);
  if (schema.properties) return schema;
  const inside = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])];
  return inside.map((part) => objectIn(part, schemas)).find((part) => part !== null) ?? null;
}

/** A parameter or field, as the reference lists it. */
export type Field = {
  name: string;
  schema: JsonSchema;
  /** Whether omitting it is an error. */
  required: boolean;
  description?: string | undefined;
};

/** Renders the fields of an object, each with its type, limits, description and nested fields. */
export const fieldList = (fields: Field[], schemas: Schemas): Html =>
  html`<dl class="fields">${fields.map((field) => fieldEntry(field, schemas))}</dl>`;

function fieldEntry({ name, schema, required, description }: Field, schemas: Schemas): Html {
  const words = description ?? schema.description ?? objectIn(schema, schemas)?.description ?? "";
  const limits = limitsOf(schema, schemas);
  const inner = fieldsOfObject(objectIn(schema, schemas), { showRequired: required });
  return html`<div class="field">
    <dt>
      <code class="name">${name}</code>
      <span class="type">${typeOf(schema, schemas)}</span
      >${required && html` <span class="required">required</span>`}
    </dt>
    <dd>
      ${words && html`<p>${inline(words)}</p>`}${limits.length > 0 && html`<p class="limits">${inline(limits.join(" · "))}</p>`}${
        inner.length > 0 &&
        html`<details>
          <summary>Fields of <code>${name}</code></summary>
          ${fieldList(inner, schemas)}
        </details>`
      }
    </dd>
  </div>`;
}

/** Lists the fields of an object schema. None is marked as required in a response, where fields are always present. */
export function fieldsOfObject(
  schema: JsonSchema | null,
  { showRequired }: { showRequired: boolean },
): Field[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    schema: property,
    required: showRequired && (schema?.required ?? []).includes(name),
  }));
}
