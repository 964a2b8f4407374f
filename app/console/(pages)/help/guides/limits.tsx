import type { Reader, Section } from "#app/console/(pages)/help/guide.tsx";
import { Sample } from "#app/console/(pages)/help/sample.tsx";

const refused = JSON.stringify(
  { statusCode: 422, name: "missing_required_field", message: "Missing required field: to" },
  null,
  2,
);

export const limits = ({ url }: Reader): Section[] => [
  {
    id: "error",
    title: "What a refusal says",
    body: (
      <>
        <p>
          Every refusal has a body like this. Match on <code>name</code>: it never changes.{" "}
          <code>message</code> is for people.
        </p>
        <Sample what="A refusal" code={refused} />
      </>
    ),
  },
  {
    id: "again",
    title: "When to try again",
    body: (
      <dl>
        <dt>429</dt>
        <dd>Too fast or too much. Wait as long as the header retry-after says.</dd>
        <dt>5xx, or no answer</dt>
        <dd>
          Try again with the same <code>Idempotency-Key</code>: the email is sent once, whichever of
          the requests arrived. A key is remembered for 24 hours.
        </dd>
        <dt>Any other 4xx</dt>
        <dd>It comes again until the request is changed.</dd>
      </dl>
    ),
  },
  {
    id: "limits",
    title: "How much",
    body: (
      <ul>
        <li>Requests: 10 in a second and company, unless your operator has set another figure.</li>
        <li>One email: 50 addresses in each of its fields; a batch: 100 emails.</li>
        <li>Scheduled: up to 30 days ahead.</li>
        <li>Recipients in an hour and in a month: as your plan says.</li>
      </ul>
    ),
  },
  {
    id: "more",
    title: "All of it",
    body: (
      <p>
        The <a href="/docs">API reference</a> at <code>{url}/docs</code> has every endpoint with its
        limits and refusals.
      </p>
    ),
  },
];
