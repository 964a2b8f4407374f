import type { GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const bounces = (): GuideSection[] => [
  {
    id: "outcomes",
    title: "Delivery statuses",
    body: (
      <dl>
        <dt>Delivered</dt>
        <dd>
          The recipient’s mail server accepted the email. Mail servers don’t report whether it
          landed in the inbox or in spam.
        </dd>
        <dt>Delayed</dt>
        <dd>The recipient’s mail server deferred the email. Posthouse retries automatically.</dd>
        <dt>Bounced</dt>
        <dd>
          The recipient’s mail server rejected the email permanently, usually because the mailbox
          doesn’t exist.
        </dd>
        <dt>Complained</dt>
        <dd>The recipient marked the email as spam, and their provider reported it.</dd>
        <dt>Suppressed</dt>
        <dd>The email wasn’t sent because the address is on your suppression list.</dd>
      </dl>
    ),
  },
  {
    id: "why",
    title: "Why addresses are suppressed",
    body: (
      <p>
        Mailbox providers rate senders by their bounces and complaints. To protect your reputation,
        Posthouse adds addresses that bounce permanently, complain or unsubscribe to your{" "}
        <ConsoleLink to="suppressions">suppression list</ConsoleLink> and stops sending to them. The
        list applies to your company only. Other recipients of the same email still receive it.
      </p>
    ),
  },
  {
    id: "act",
    title: "What to do",
    body: (
      <ul>
        <li>Open the email to read the response of the recipient’s mail server.</li>
        <li>
          Remove an address from the list once you know that it works again. If it bounces again,
          Posthouse adds it back.
        </li>
        <li>
          Don’t remove an address that complained or unsubscribed unless its owner asks you to.
        </li>
        <li>
          Keep your bounce rate below 2% and your complaint rate below 0.1%. Higher rates usually
          mean old or purchased addresses. See your rates under{" "}
          <ConsoleLink to="metrics">Metrics</ConsoleLink>.
        </li>
      </ul>
    ),
  },
];
