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
      <h2>Keys</h2>
      <p>
        Every request carries an API key of the company in the header
        <code>Authorization: Bearer ph_…</code>. A key with sending access can send and nothing
        else, from one domain if it is restricted to it. A key with full access may do what its
        creator may in the console.
      </p>
      <h2>Limits</h2>
      <p>
        A company may make 10 requests per second unless the operator of this instance has set
        another limit, all its keys together. The headers <code>ratelimit-limit</code>,
        <code>ratelimit-remaining</code> and <code>ratelimit-reset</code> tell what is left; a 429
        for the rate carries <code>retry-after</code> in seconds.
      </p>
      <h2>Pages</h2>
      <p>
        Lists answer <code>limit</code> objects, 20 unless you say otherwise. While
        <code>has_more</code> is true, ask again with <code>after</code> set to the id of the last
        object. <code>before</code> goes the other way.
      </p>
      <h2>Trying again</h2>
      <p>
        Send <code>Idempotency-Key</code> with an email: after a time-out, a 5xx or a broken
        connection repeat the request with the same key and body. It is sent once, whichever of the
        requests arrived.
      </p>
      <h2>SDKs</h2>
      <p>
        The SDKs of Resend work with this API. Set their base URL to <code>${url}</code> without a
        slash at the end.
      </p>
      <p>
        The whole reference as a document for programs: <a href="/openapi.json">OpenAPI 3.1</a>.
      </p>
    </section>
    <section id="errors" aria-labelledby="errors-title">
      <h2 id="errors-title">Errors</h2>
      <p>
        Every error has a body like this one. <code>name</code> is stable: match on it.
        <code>message</code> is for people and may be reworded.
      </p>
      <pre
        tabindex="0"
        aria-label="An error"
      ><code>${JSON.stringify({ statusCode: 422, name: "missing_required_field", message: "Missing required field: to" }, null, 2)}</code></pre>
      <p>
        Repeat a request that was answered with 429 or 5xx, and one with
        <code>concurrent_idempotent_requests</code>. Any other 4xx comes again until the request is
        changed. A path that does not exist is a 404 <code>not_found</code>, a wrong method a 405
        <code>method_not_allowed</code>.
      </p>
    </section>`;
}
