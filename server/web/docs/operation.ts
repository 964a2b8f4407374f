import type { OpenapiDocument, Operation } from "#server/http/openapi.ts";

import { type Field, fieldList, fieldsOfObject } from "./fields.ts";
import { type Html, html, inline, prose } from "./html.ts";
import { objectIn, type Schemas } from "./type-of.ts";

/** An operation with its method and path. */
export type Placed = { id: string; method: string; path: string; operation: Operation };

/** Lists the operations of a document in their order. */
export function operationsOf(document: OpenapiDocument): Placed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

export const methodBadge = (method: string) =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

/** Renders a path that may wrap after each slash. */
const breakable = (path: string) =>
  path.split("/").map((part, at) => (at === 0 ? "" : html`/<wbr />${part}`));

/** Renders an operation: description, parameters, responses and errors, with examples next to it. */
export function operationSection({ id, method, path, operation }: Placed, schemas: Schemas): Html {
  return html`<article id="${id}" class="operation" aria-labelledby="${id}-title">
    <div class="words">
      <h3 id="${id}-title"><a href="#${id}">${operation.summary}</a></h3>
      <p class="route">${methodBadge(method)} <code>${breakable(path)}</code></p>
      ${prose(operation.description)} ${parameters(operation, schemas)}
      ${requestBody(operation, schemas)} ${answer(operation, schemas)} ${errors(operation)}
    </div>
    <div class="examples">${samples(id, operation)}${exampleAnswer(operation)}</div>
  </article>`;
}

const PLACES = [
  ["path", "In the path"],
  ["query", "In the query"],
  ["header", "In the header"],
] as const;

function parameters({ parameters }: Operation, schemas: Schemas): Html[] {
  return PLACES.flatMap(([place, title]) => {
    const fields: Field[] = parameters.filter((parameter) => parameter.in === place);
    return fields.length > 0
      ? [
          html`<h4>${title}</h4>
            ${fieldList(fields, schemas)}`,
        ]
      : [];
  });
}

function requestBody({ requestBody }: Operation, schemas: Schemas): Html | null {
  const schema = requestBody?.content["application/json"].schema;
  if (!schema) return null;
  const fields = fieldsOfObject(objectIn(schema, schemas), { showRequired: true });
  const isList = schema.type === "array";
  const limit = schema.maxItems === undefined ? "" : `, at most ${schema.maxItems}`;
  return html`<h4>Body</h4>
    ${isList && html`<p>A list of objects${limit}, each with these fields:</p>`}${fieldList(fields, schemas)}`;
}

function answer({ responses }: Operation, schemas: Schemas): Html | null {
  const schema = responses[200]?.content?.["application/json"].schema;
  if (!schema) return null;
  const fields = fieldsOfObject(objectIn(schema, schemas), { showRequired: false });
  return html`<h4>Response</h4>
    <p>Status 200.</p>
    ${fieldList(fields, schemas)}`;
}

function errors({ responses }: Operation): Html {
  const refusals = Object.entries(responses).filter(([status]) => status !== "200");
  const rows = refusals.map(
    ([status, { description }]) =>
      html`<tr>
        <th scope="row">${status}</th>
        <td>${description.split("\n\n").map((line) => html`<p>${inline(line)}</p>`)}</td>
      </tr>`,
  );
  return html`<details class="errors">
    <summary>Errors</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Name and cause</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </details>`;
}

/** Renders code in each language, one shown at a time; choosing works without scripts. */
function samples(id: string, operation: Operation): Html | null {
  const given = operation["x-codeSamples"];
  if (!given) return null;
  const choices = given.map(
    ({ label }, at) =>
      html`<label
        ><input
          type="radio"
          name="${id}-language"
          value="${label}"
          ${at === 0 && html` checked`}
        />${label}</label
      >`,
  );
  const panels = given.map(
    ({ label, source }) =>
      html`<pre
        tabindex="0"
        role="group"
        class="sample"
        data-language="${label}"
        aria-label="${label}"
      ><code>${source}</code></pre>`,
  );
  return html`<fieldset class="samples">
    <legend>Request</legend>
    <div class="choices">${choices}</div>
    ${panels}
  </fieldset>`;
}

function exampleAnswer({ responses }: Operation): Html | null {
  const example = responses[200]?.content?.["application/json"].example;
  if (example === undefined) return null;
  return html`<div class="answer">
    <h4>Example response</h4>
    <pre
      tabindex="0"
      role="group"
      aria-label="Example response"
    ><code>${JSON.stringify(example, null, 2)}</code></pre>
  </div>`;
}
