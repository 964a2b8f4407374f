import type { OpenapiDocument } from "#server/http/openapi.ts";

import { type Html, html } from "./html.ts";

/** What applies to all endpoints. */
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
