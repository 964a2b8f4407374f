import type { JsonSchema } from "#server/http/json-schemas.ts";

import { type Html, html, inline } from "./html.ts";
import { limitsOf, objectIn, type Schemas, typeOf } from "./type-of.ts";

/** A value in a request or an answer, as a list of the reference shows it. */
export type Field = {
  name: string;
  schema: JsonSchema;
  /** True where leaving it out is refused. */
  required: boolean;
  description?: string | undefined;
};

/** The fields of an object, each with its type, its limits, what it means, and the fields inside it. */
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

/** The fields of an object schema. In an answer every field is there unless it is said otherwise, so none is marked. */
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
