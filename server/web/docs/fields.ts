import type { JsonSchema } from "#server/http/json-schemas.ts";

import { type Html, html, inline } from "./html.ts";
import { limitsOf, objectIn, type Schemas, typeOf } from "./type-of.ts";

/** A parameter or field, as the reference lists it. */
export type Field = {
  name: string;
  schema: JsonSchema;
  /** Whether omitting it is an error. */
  required: boolean;
  description?: string | undefined;
};

/** Renders the fields of an object, each with its type, limits, description and nested fields. */
export function fieldList(fields: Field[], schemas: Schemas): Html {
  return html`<dl class="fields">${fields.map((field) => fieldEntry(field, schemas))}</dl>`;
}

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
