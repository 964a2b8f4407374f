import type { GuideContext, GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { GuideSample } from "#app/console/(pages)/help/sample.tsx";

const errorResponse = JSON.stringify(
  { statusCode: 422, name: "missing_required_field", message: "Missing required field: to" },
  null,
  2,
);

export const limits = ({ url }: GuideContext): GuideSection[] => [
  {
    id: "error",
    title: "Error responses",
    body: (
      <>
        <p>
          Every error has the following body. Check <code>name</code> in your code: it never
          changes. The <code>message</code> is for humans and can change.
        </p>
        <GuideSample what="Error response" code={errorResponse} />
      </>
    ),
  },
  {
    id: "again",
    title: "When to retry",
    body: (
      <dl>
        <dt>429</dt>
        <dd>
          You exceeded a rate limit or quota. Wait for the number of seconds in the{" "}
          <code>retry-after</code> header.
        </dd>
        <dt>5xx or no response</dt>
        <dd>
          Retry with the same <code>Idempotency-Key</code>. The email is sent once, even if several
          requests arrive. Keys expire after 24 hours.
        </dd>
        <dt>Other 4xx</dt>
        <dd>Don’t retry. Fix the request first.</dd>
      </dl>
    ),
  },
  {
    id: "limits",
    title: "Limits",
    body: (
      <ul>
        <li>Requests: 10 per second per company, unless your operator changed the limit.</li>
        <li>Recipients: 50 addresses in each address field of an email.</li>
        <li>Batches: 100 emails per request.</li>
        <li>Scheduled emails: up to 30 days ahead.</li>
        <li>Recipients per hour and per month: depends on your plan.</li>
      </ul>
    ),
  },
  {
    id: "more",
    title: "API reference",
    body: (
      <p>
        The <a href="/docs">API reference</a> at <code>{url}/docs</code> lists the limits and errors
        of every endpoint.
      </p>
    ),
  },
];
