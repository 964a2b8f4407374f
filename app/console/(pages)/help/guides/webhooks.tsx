import type { GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";
import { SignatureSamples } from "#app/console/(pages)/webhooks/signature-samples.tsx";

export const webhooks = (): GuideSection[] => [
  {
    id: "what",
    title: "What a webhook is",
    body: (
      <p>
        Posthouse sends a POST request to your webhook endpoint when an event occurs, for example
        when an email is delivered, bounces, or is opened, or when a domain changes. Create a
        webhook under <ConsoleLink to="webhooks">Webhooks</ConsoleLink> and choose its events.
      </p>
    ),
  },
  {
    id: "answer",
    title: "Respond to events",
    body: (
      <ul>
        <li>Respond with a 2xx status within 10 seconds, then process the event.</li>
        <li>
          Posthouse retries all other responses after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5
          hours, 10 hours, and 10 hours. After that, the event is marked as failed. You can replay
          it for 30 days.
        </li>
        <li>
          After 100 failed attempts in a row, Posthouse disables the webhook and notifies the admins
          who can manage webhooks. Pending events are delivered when you enable it again.
        </li>
        <li>
          Events can arrive more than once or out of order. Store the <code>webhook-id</code>{" "}
          header, which is the same for every attempt, to ignore duplicates.
        </li>
      </ul>
    ),
  },
  {
    id: "verify",
    title: "Verify signatures",
    body: (
      <>
        <p>
          Anyone who knows your endpoint can send requests to it. Verify the signature to make sure
          that they come from Posthouse. Find the signing secret on the webhook’s page under
          Signing.
        </p>
        <SignatureSamples />
      </>
    ),
  },
  {
    id: "try",
    title: "Test your endpoint",
    body: (
      <p>
        Open a webhook and click <b>Send test event</b>. The event’s page shows every attempt with
        the response of your endpoint.
      </p>
    ),
  },
];
