import type { OpenapiDocument, Operation } from "#server/http/openapi.ts";

import { type Field, fieldList, fieldsOfObject, objectIn, type Schemas } from "./fields.ts";
import { errorsSection, introduction, privilegesSection } from "./guide.ts";
import { type Html, html, prose } from "./html.ts";
import { type DocumentedError, errorsOf, operationsOf, type Placed } from "./operations.ts";

type Resource = { name: string; description: string; anchor: string; operations: Placed[] };

/** Renders the API reference as one page, self-contained except for its style sheet and script. */
export function referencePage(document: OpenapiDocument): string {
  const operations = operationsOf(document);
  const resources = document.tags.map(({ name, description }) => ({
    name,
    description,
    anchor: name.toLowerCase().replaceAll(" ", "-"),
    operations: operations.filter(({ operation }) => operation.tags?.includes(name)),
  }));
  const { schemas } = document.components;
  const errors = errorsOf(operations);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${document.info.title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="stylesheet" href="/docs/style.css" />
        <script src="/docs/script.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        ${navigation(resources, document)}
        <main id="content" tabindex="-1">
          ${introduction(document)} ${errorsSection(errors)} ${privilegesSection(operations)}
          ${resources.map(
            ({ name, description, anchor, operations }) =>
              html`<section id="${anchor}" aria-labelledby="${anchor}-title">
                <h2 id="${anchor}-title">${name}</h2>
                <div class="lead">${prose(description)}</div>
                ${operations.map((operation) => operationSection(operation, { schemas, errors }))}
              </section>`,
          )}
        </main>
      </body>
    </html>`.text;
}

function navigation(resources: Resource[], { info }: OpenapiDocument): Html {
  return html`<header class="side">
    <p class="title"><a href="#content">${info.title}</a></p>
    <details class="menu" open>
      <summary>Contents</summary>
      <search hidden>
        <label for="filter">Find an endpoint</label
        ><input id="filter" type="search" placeholder="Find an endpoint" autocomplete="off" />
      </search>
      <nav aria-label="Contents">
        <ul>
          <li><a href="#start">Getting started</a></li>
          <li><a href="#errors">Errors</a></li>
          <li><a href="#privileges">Privileges</a></li>
        </ul>
        ${resources.map(
          ({ name, anchor, operations }) =>
            html`<h2><a href="#${anchor}">${name}</a></h2>
              <ul>
                ${operations.map(
                  ({ id, method, path, operation }) =>
                    html`<li>
                      <a href="#${id}" title="${path}"
                        >${methodBadge(method)} <span>${operation.summary}</span></a
                      >
                    </li>`,
                )}
              </ul>`,
        )}
      </nav>
      <p id="nothing" role="status"></p>
    </details>
  </header>`;
}

const methodBadge = (method: string) =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

/** Renders a path that may wrap after each slash. */
const breakable = (path: string) =>
  path.split("/").map((part, at) => (at === 0 ? "" : html`/<wbr />${part}`));

/** Renders an operation: description, parameters, responses and errors, with examples next to it. */
function operationSection(
  { id, method, path, operation }: Placed,
  { schemas, errors }: { schemas: Schemas; errors: DocumentedError[] },
): Html {
  return html`<article id="${id}" class="operation" aria-labelledby="${id}-title">
    <div class="words">
      <h3 id="${id}-title"><a href="#${id}">${operation.summary}</a></h3>
      <p class="route">${methodBadge(method)} <code>${breakable(path)}</code></p>
      ${prose(operation.description)} ${parameters(operation, schemas)}
      ${requestBody(operation, schemas)} ${answer(operation, schemas)} ${refusalList(id, errors)}
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

/** Links to the errors of one operation. */
function refusalList(operationId: string, errors: DocumentedError[]): Html {
  const links = errors
    .filter(({ operations }) => operations.has(operationId))
    .map(
      ({ id, status, name }) =>
        html`<li><a href="#${id}">${status} ${name ?? "too large"}</a></li>`,
    );
  return html`<h4>Errors</h4>
    <ul class="refusals">
      ${links}
    </ul>`;
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
