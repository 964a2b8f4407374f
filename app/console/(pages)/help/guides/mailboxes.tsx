import type { GuideContext, GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const mailboxes = ({ url, domain }: GuideContext): GuideSection[] => [
  {
    id: "make",
    title: "Create mailboxes",
    body: (
      <p>
        <ConsoleLink to="mailboxes/new">Create a mailbox</ConsoleLink>, or{" "}
        <ConsoleLink to="mailboxes/import">import</ConsoleLink> many mailboxes from a spreadsheet.
        The import shows a preview of every row first. A mailbox receives mail as soon as it is
        created.
      </p>
    ),
  },
  {
    id: "hand-over",
    title: "Hand over a mailbox",
    body: (
      <p>
        The console shows the temporary password once. Print the welcome sheet, or share the
        password by phone or in person. The mailbox user signs in at <code>{url}/account</code> and
        sets a new password. Until then, mail apps can’t sign in. Or have Posthouse email a link to
        the mailbox user’s private address when you create the mailbox. They choose a password with
        it, once, within 7 days.
      </p>
    ),
  },
  {
    id: "aliases",
    title: "Aliases and groups",
    body: (
      <dl>
        <dt>Alias</dt>
        <dd>
          An additional address of a mailbox, such as <code>{`ann@${domain}`}</code> for{" "}
          <code>{`ann.lee@${domain}`}</code>. Add aliases on the mailbox’s page.
        </dd>
        <dt>Catch-all</dt>
        <dd>
          The alias <code>{`*@${domain}`}</code> receives mail to all addresses of the domain that
          don’t exist, including most spam to guessed addresses. It can’t be sent from.
        </dd>
        <dt>Shared mailbox</dt>
        <dd>
          A mailbox that several people open in their own mail apps, such as{" "}
          <code>{`info@${domain}`}</code>. Share it with mailboxes or a group on its Access tab.
          They find it under “Shared mailboxes”, and may have to subscribe to its folders. If you
          stop sharing, their mail apps are disconnected at once.
        </dd>
        <dt>Group</dt>
        <dd>
          One address for several people, such as <code>{`sales@${domain}`}</code>. Create groups
          under <ConsoleLink to="groups">Groups</ConsoleLink>.
        </dd>
      </dl>
    ),
  },
  {
    id: "full",
    title: "Full mailboxes",
    body: (
      <p>
        A full mailbox receives no mail: senders’ servers retry for a few days, then return it.
        Increase its storage limit in its settings, or ask the mailbox user to delete mail and empty
        the trash.
      </p>
    ),
  },
  {
    id: "leaves",
    title: "Offboarding",
    body: (
      <ol>
        <li>
          Suspend the mailbox. This blocks sign-in. Mail still arrives, and nothing is deleted.
        </li>
        <li>
          Delete the mailbox when you no longer need its mail. Only owners can do this. They can
          restore it with its mail under <ConsoleLink to="deleted">Deleted</ConsoleLink> until it’s
          deleted permanently.
        </li>
        <li>
          To give its address to a successor, delete the mailbox permanently there, then add the
          address as an alias to the successor’s mailbox.
        </li>
      </ol>
    ),
  },
  {
    id: "several",
    title: "Bulk actions",
    body: (
      <p>
        Select mailboxes in the list, or all search results, to suspend, move, or delete them, reset
        their passwords, or change their storage limits. The console shows a preview before it
        starts and the result for each mailbox.
      </p>
    ),
  },
];
