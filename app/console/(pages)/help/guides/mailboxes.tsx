import type { Reader, Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const mailboxes = ({ url, domain }: Reader): Section[] => [
  {
    id: "make",
    title: "Make one, or many",
    body: (
      <p>
        One at a time under <PageLink to="mailboxes/new">Create mailbox</PageLink>, many from a
        spreadsheet under <PageLink to="mailboxes/import">Import</PageLink>: it shows what will
        become of each line before anything is made. A mailbox receives mail from the moment it is
        made.
      </p>
    ),
  },
  {
    id: "hand-over",
    title: "Hand it over",
    body: (
      <p>
        You see its temporary password once. Print the welcome sheet, or send the person the
        password by another way than email. They sign in at <code>{url}/account</code> and choose
        their own; until then no mail app gets in.
      </p>
    ),
  },
  {
    id: "aliases",
    title: "A second address, or one for several people",
    body: (
      <dl>
        <dt>Alias</dt>
        <dd>
          Another address of one mailbox, such as <code>{`ann@${domain}`}</code> beside{" "}
          <code>{`ann.lee@${domain}`}</code>. It is on the mailbox&rsquo;s page.
        </dd>
        <dt>Group</dt>
        <dd>
          One address for several people, such as <code>{`sales@${domain}`}</code>, under{" "}
          <PageLink to="groups">Groups</PageLink>.
        </dd>
      </dl>
    ),
  },
  {
    id: "full",
    title: "When one is full",
    body: (
      <p>
        New mail for it is refused and its senders are told. Give it a larger size in its settings,
        or have the person delete mail and empty the trash.
      </p>
    ),
  },
  {
    id: "leaves",
    title: "When somebody leaves",
    body: (
      <ol>
        <li>
          Suspend the mailbox: nobody can sign in any more, mail still arrives, and nothing is lost.
        </li>
        <li>
          Delete it when nobody needs what it holds. Only owners can, and it cannot be undone.
        </li>
        <li>Then add its address as an alias to whoever takes over: they get what still comes.</li>
      </ol>
    ),
  },
  {
    id: "several",
    title: "Several at once",
    body: (
      <p>
        Tick them in the list, or all that a search finds, and suspend, move, resize or reset them
        together. You see what will happen to each before, and how each ended.
      </p>
    ),
  },
];
