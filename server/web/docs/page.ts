import type { OpenapiDocument, Operation } from "#server/http/openapi.ts";

import { type Field, fieldList, fieldsOfObject, objectIn, type Schemas } from "./fields.ts";
import { type Html, html, inline, prose } from "./html.ts";

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
          ${introduction(document)}
          ${resources.map(
            ({ name, description, anchor, operations }) =>
              html`<section id="${anchor}" aria-labelledby="${anchor}-title">
                <h2 id="${anchor}-title">${name}</h2>
                <div class="lead">${prose(description)}</div>
                ${operations.map((operation) => operationSection(operation, schemas))}
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

/** What applies to all endpoints. */
function introduction({ info, servers }: OpenapiDocument): Html {
  const url = servers[0]!.url;
  return html`<section id="start" aria-labelledby="start-title">
      <h1 id="start-title">${info.title}</h1>
      <p class="lead">${info.description}</p>
      <h2>Base URL</h2>
      <pre tabindex="0" role="group" aria-label="Base URL"><code>${url}</code></pre>
      <h2>Authentication</h2>
      <p>
        Authenticate every request with an API key of your company in the header
        <code>Authorization: Bearer ph_…</code>. A key with sending access can only send email,
        optionally from a single domain. A key with full access has the privileges that its creator
        has in the console.
      </p>
      <h2>Limits</h2>
      <p>
        All keys of a company together can make 10 requests per second, unless the operator of this
        instance has set another limit. The headers <code>ratelimit-limit</code>,
        <code>ratelimit-remaining</code> and <code>ratelimit-reset</code> show how many requests are
        left. If you exceed the limit, the 429 response has <code>retry-after</code> in seconds.
      </p>
      <h2>Pagination</h2>
      <p>
        Lists return up to <code>limit</code> objects, 20 by default. While <code>has_more</code> is
        true, get the next page with <code>after</code> set to the ID of the last object. Use
        <code>before</code> to page backward.
      </p>
      <h2>Retries</h2>
      <p>
        Send an <code>Idempotency-Key</code> with each email. After a timeout, a 5xx or a lost
        connection, repeat the request with the same key and body: the email is sent only once.
      </p>
      <h2>SDKs</h2>
      <p>
        The SDKs of Resend work with this API. Set their base URL to <code>${url}</code>, without a
        trailing slash.
      </p>
      <p>This reference is also available as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
    </section>
    <section id="errors" aria-labelledby="errors-title">
      <h2 id="errors-title">Errors</h2>
      <p>
        Every error has a body like this one. Match on <code>name</code>, which is stable.
        <code>message</code> is for people, and its wording can change.
      </p>
      <pre
        tabindex="0"
        aria-label="An error"
      ><code>${JSON.stringify({ statusCode: 422, name: "missing_required_field", message: "Missing required field: to" }, null, 2)}</code></pre>
      <p>
        Retry requests that fail with 429, 5xx or <code>concurrent_idempotent_requests</code>. Other
        4xx errors recur until you change the request. An unknown path returns 404
        <code>not_found</code>, an unsupported method 405 <code>method_not_allowed</code>.
      </p>
    </section>`;
}

/** An operation with its method and path. */
type Placed = { id: string; method: string; path: string; operation: Operation };

/** Lists the operations of a document in their order. */
function operationsOf(document: OpenapiDocument): Placed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

const methodBadge = (method: string) =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

/** Renders a path that may wrap after each slash. */
const breakable = (path: string) =>
  path.split("/").map((part, at) => (at === 0 ? "" : html`/<wbr />${part}`));

/** Renders an operation: description, parameters, responses and errors, with examples next to it. */
function operationSection({ id, method, path, operation }: Placed, schemas: Schemas): Html {
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
