import type { GuideContext, GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const moving = ({ url, domain }: GuideContext): GuideSection[] => [
  {
    id: "before",
    title: "A few days before",
    body: (
      <ol>
        <li>
          Create your domain under <ConsoleLink to="domains">Domains</ConsoleLink>, verify
          ownership, and publish the records for sending. Don’t change the MX record yet: mail still
          goes to your current provider.
        </li>
        <li>
          At your DNS provider, lower the TTL of the MX record to 5 minutes so that the switch takes
          effect quickly.
        </li>
        <li>
          Create the mailboxes. Export the user list from your current provider and{" "}
          <ConsoleLink to="mailboxes/import">import</ConsoleLink> it. Exports from Google Workspace,
          Microsoft 365, and mailcow work without changes. Then create the{" "}
          <ConsoleLink to="groups">groups</ConsoleLink>.
        </li>
        <li>Print and distribute the welcome sheets.</li>
        <li>
          If you send emails through another provider, export its suppression lists and{" "}
          <ConsoleLink to="suppressions/import">import</ConsoleLink> them. Reasons and dates are
          kept.
        </li>
      </ol>
    ),
  },
  {
    id: "day",
    title: "On the day",
    body: (
      <ol>
        <li>
          Replace the MX record of {domain} with the one on the domain’s page. New mail now arrives
          here. For a few hours, some mail may still go to your previous provider.
        </li>
        <li>
          Mailbox users set a new password at <code>{url}/account</code> and connect their mail apps
          at <code>{url}/account/connect</code>.
        </li>
        <li>Send an email from an external address and reply to it.</li>
      </ol>
    ),
  },
  {
    id: "old",
    title: "Copy existing mail",
    body: (
      <>
        <p>
          <ConsoleLink to="mailboxes/import-mail">Import mail</ConsoleLink> copies folders, messages
          and flags over IMAP from Gmail, Microsoft 365, mailcow, cPanel, another Posthouse or any
          other server: one mailbox, or hundreds from a CSV file. Nothing on the old server changes.
          Start it before the day of the switch, and import new mail afterwards.
        </p>
        <p>
          Check the storage limits first. A full mailbox receives no mail until there is room again.
        </p>
      </>
    ),
  },
  {
    id: "after",
    title: "Afterwards",
    body: (
      <ul>
        <li>Copy again after a few days to include mail that arrived late.</li>
        <li>Remove the previous provider from your SPF record, and restore the TTL.</li>
        <li>Keep the old accounts for a month, then close them.</li>
      </ul>
    ),
  },
];
