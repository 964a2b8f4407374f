import type { Reader, Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const groups = ({ domain }: Reader): Section[] => [
  {
    id: "what",
    title: "What a group is",
    body: (
      <p>
        One address, such as <code>{`sales@${domain}`}</code>, whose mail goes to up to 200 members,
        inside and outside your company. It keeps no mail of its own. A group without members
        discards what it gets. Make one under <PageLink to="groups">Groups</PageLink>.
      </p>
    ),
  },
  {
    id: "who",
    title: "Who can post",
    body: (
      <dl>
        <dt>Anyone</dt>
        <dd>For addresses that customers write to.</dd>
        <dt>People of your company</dt>
        <dd>Whoever signs in here or writes from one of your domains.</dd>
        <dt>Members only</dt>
        <dd>For teams that write among themselves.</dd>
        <dt>Listed addresses only</dt>
        <dd>Only the addresses and domains that you name.</dd>
      </dl>
    ),
  },
  {
    id: "moderation",
    title: "Moderation",
    body: (
      <p>
        Mail from non-members, or all mail, can wait until somebody has looked at it. The moderators
        get a message about it; without any, the owners of the company do. What waits is under{" "}
        <PageLink to="quarantine">Quarantine</PageLink> and goes after 30 days if nobody decides.
      </p>
    ),
  },
  {
    id: "replies",
    title: "Where answers go",
    body: (
      <p>
        To who wrote, unless you choose the group. Members who have a mailbox here can send with the
        group’s address when you allow it under “Access and settings”.
      </p>
    ),
  },
];
