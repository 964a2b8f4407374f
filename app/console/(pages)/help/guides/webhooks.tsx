import type { Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";
import { SignatureSamples } from "#app/console/(pages)/webhooks/signature-samples.tsx";

export const webhooks = (): Section[] => [
  {
    id: "what",
    title: "What a webhook is",
    body: (
      <p>
        An address of yours that Posthouse posts to when something happens: an email was delivered,
        bounced, opened; a domain changed. Add it under <PageLink to="webhooks">Webhooks</PageLink>{" "}
        and choose the events.
      </p>
    ),
  },
  {
    id: "answer",
    title: "How to answer",
    body: (
      <ul>
        <li>Answer with any 2xx status within 10 seconds, and do the work afterwards.</li>
        <li>
          Anything else is tried again: after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5, 10 and
          10 hours. Then the event has failed; it can be replayed for 30 days.
        </li>
        <li>
          After 100 failures in a row the webhook is switched off and the owners of the company get
          an email. Events that waited are delivered when you switch it on again.
        </li>
        <li>
          An event may come twice, or after a later one. Its <code>webhook-id</code> stays the same:
          remember it and drop the second.
        </li>
      </ul>
    ),
  },
  {
    id: "verify",
    title: "Check the signature",
    body: (
      <>
        <p>
          Without it anybody who knows the address can tell you what they like. The secret is on the
          webhook’s page under Signing.
        </p>
        <SignatureSamples />
      </>
    ),
  },
  {
    id: "try",
    title: "Try it",
    body: (
      <p>
        A webhook’s page sends a test event of any type, and shows every attempt with what your
        endpoint answered.
      </p>
    ),
  },
];
