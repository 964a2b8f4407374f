import type { OpenapiDocument } from "#server/http/openapi.ts";
import { PRIVILEGES, privilegeApiName, privilegeText } from "#server/universal/privileges.ts";

import { type Html, html, inline } from "./html.ts";
import type { DocumentedError, Placed } from "./operations.ts";

/** The domain in the examples, which the reader can replace. */
const SAMPLE_DOMAIN = "shop.example";

/** Renders what applies to all endpoints. */
export function introduction({ info, servers }: OpenapiDocument): Html {
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
      optionally from a single domain. A key with full access has the
      <a href="#privileges">privileges</a> that its creator has in the console.
    </p>
    <h2>Samples</h2>
    <p>The samples read the key from the environment:</p>
    <pre
      tabindex="0"
      role="group"
      aria-label="The key in the environment"
    ><code>export POSTHOUSE_API_KEY=ph_…</code></pre>
    <p class="domain" hidden>
      <label for="domain">Your domain in all samples</label>
      <input id="domain" placeholder="${SAMPLE_DOMAIN}" autocomplete="off" spellcheck="false" />
    </p>
    <p>Replace IDs with those that the list endpoints return.</p>
    <h2>Limits</h2>
    <p>
      All keys of a company together can make 10 requests per second, unless the operator of this
      server has set another limit. The headers <code>ratelimit-limit</code>,
      <code>ratelimit-remaining</code> and <code>ratelimit-reset</code> show how many requests are
      left. If you exceed the limit, the 429 response has <code>retry-after</code> in seconds.
    </p>
    <h2>Pagination</h2>
    <p>
      Lists return up to <code>limit</code> objects, 20 by default. While <code>has_more</code> is
      true, get the next page with <code>after</code> set to the ID of the last object. Use
      <code>before</code> to page backward.
    </p>
    <h2>Request IDs</h2>
    <p>
      Every response has an <code>x-request-id</code>. It is in the server's log: if a request fails
      with a 5xx, give it to the operator of the server.
    </p>
    <h2>Timestamps</h2>
    <p>
      Objects have UTC timestamps with microseconds, such as
      <code>2026-03-02 09:30:00.412345+00</code>. Webhook payloads use ISO 8601 with milliseconds,
      <code>2026-03-02T09:30:00.412Z</code>, as do the <code>created_at</code> of a single webhook,
      <code>sent_at</code> of its delivery attempts, <code>expires_at</code> of download links, and
      the range of metrics. Requests accept ISO 8601, and <code>scheduled_at</code> also phrases
      such as <code>in 2 hours</code>.
    </p>
    <h2>Units</h2>
    <p>
      <code>org_unit_id</code> places a mailbox in a unit of the company, by default its root unit.
      To find the ID, open Units in the console and select the unit: the address of the page ends
      with <code>unit=</code> and the ID.
    </p>
    <h2>Retries</h2>
    <p>
      Send an <code>Idempotency-Key</code> with each email. After a timeout, a 5xx or a lost
      connection, repeat the request with the same key and body: the email is sent only once.
    </p>
    <h2>SDKs</h2>
    <p>
      Resend's SDKs work with this API. Set their base URL to <code>${url}</code>, without a
      trailing slash.
    </p>
    <p>This reference is also available as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
  </section>`;
}

/** Renders the errors of all endpoints. */
export function errorsSection(errors: DocumentedError[]): Html {
  const rows = errors.map(
    ({ id, status, name, meanings }) =>
      html`<tr id="${id}">
        <th scope="row">${status}</th>
        <td>
          ${name && html`<code>${name}</code>`}${[...meanings].map((meaning) => html`<p>${inline(meaning)}</p>`)}
        </td>
      </tr>`,
  );
  return html`<section id="errors" aria-labelledby="errors-title">
    <h2 id="errors-title">Errors</h2>
    <p>
      Every error has a body like this one. Match on <code>name</code>, which is stable.
      <code>message</code> is for people, and its wording can change.
    </p>
    <pre
      tabindex="0"
      role="group"
      aria-label="An error"
    ><code>${JSON.stringify({ statusCode: 422, name: "missing_required_field", message: "Missing required field: to" }, null, 2)}</code></pre>
    <p>
      Retry requests that fail with 429, 5xx or <code>concurrent_idempotent_requests</code>. Other
      4xx errors recur until you change the request. An unknown path returns 404
      <code>not_found</code>, an unsupported method 405 <code>method_not_allowed</code>.
    </p>
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
  </section>`;
}

/** Renders which endpoints each privilege opens. */
export function privilegesSection(operations: Placed[]): Html {
  const rows = [...PRIVILEGES, "owner"].flatMap((privilege) => {
    const opened = operations.filter(({ operation }) =>
      [operation["x-privilege"]].flat().includes(privilege),
    );
    if (opened.length === 0) return [];
    const { name, description } = privilegeText(privilege);
    const apiName = privilegeApiName(privilege);
    return html`<tr>
      <th scope="row">${apiName}<br /><code>${privilege}</code></th>
      <td>
        <p>${description}${apiName !== name && ` In the console: ${name}.`}</p>
        <p>
          ${opened.map(({ id, operation }, at) => html`${at > 0 && ", "}<a href="#${id}">${operation.summary}</a>`)}
        </p>
      </td>
    </tr>`;
  });
  return html`<section id="privileges" aria-labelledby="privileges-title">
    <h2 id="privileges-title">Privileges</h2>
    <p>
      A key with full access has the privileges of the admin who created it, and loses those that
      the admin loses. Endpoints not listed here need no privilege.
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Privilege</th>
          <th scope="col">Endpoints</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section>`;
}
