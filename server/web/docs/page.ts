import type { OpenapiDocument } from "#server/http/openapi.ts";

import { type Html, html, prose } from "./html.ts";
import { introduction } from "./introduction.ts";
import { methodBadge, operationSection, operationsOf, type Placed } from "./operation.ts";

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
