import type { Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const bounces = (): Section[] => [
  {
    id: "outcomes",
    title: "What can become of an email",
    body: (
      <dl>
        <dt>Delivered</dt>
        <dd>The other server took it. Whether it is in the inbox or in spam, nobody tells.</dd>
        <dt>Delayed</dt>
        <dd>The other server asked to come again. Posthouse does so by itself.</dd>
        <dt>Bounced</dt>
        <dd>The other server refused it for good: most often the mailbox does not exist.</dd>
        <dt>Complained</dt>
        <dd>The recipient called it spam, and their provider told us.</dd>
        <dt>Suppressed</dt>
        <dd>It was not sent at all: the address is on your list of suppressions.</dd>
      </dl>
    ),
  },
  {
    id: "why",
    title: "Why addresses are skipped",
    body: (
      <p>
        Providers judge you by how often you write to people who are not there or do not want it. An
        address that bounced for good, or complained, therefore goes to{" "}
        <PageLink to="suppressions">Suppressions</PageLink> and is skipped from then on, in your
        company alone. The rest of an email’s recipients still get it.
      </p>
    ),
  },
  {
    id: "act",
    title: "What to do",
    body: (
      <ul>
        <li>Read the bounce on the email’s page: it says what the other server said.</li>
        <li>
          Take an address off the list when you know that it works again. If it bounces once more,
          it is back.
        </li>
        <li>Never take off somebody who complained, unless they ask you to.</li>
        <li>
          More than 2 bounces in a hundred, or 1 complaint in a thousand, is a sign of old or bought
          addresses. <PageLink to="metrics">Metrics</PageLink> has the rates.
        </li>
      </ul>
    ),
  },
];
