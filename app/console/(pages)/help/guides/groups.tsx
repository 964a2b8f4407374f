import type { GuideContext, GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const groups = ({ domain }: GuideContext): GuideSection[] => [
  {
    id: "what",
    title: "What a group is",
    body: (
      <p>
        A group is an address, such as <code>{`sales@${domain}`}</code>, that forwards mail to up to
        200 members inside and outside your company. It doesn’t store mail. A group without members
        discards its mail. Create groups under <ConsoleLink to="groups">Groups</ConsoleLink>.
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
        <dt>Anyone in your company</dt>
        <dd>Mailbox users of your company and senders at your domains.</dd>
        <dt>Members only</dt>
        <dd>For internal team discussions.</dd>
        <dt>Listed addresses only</dt>
        <dd>Only the addresses and domains you list.</dd>
      </dl>
    ),
  },
  {
    id: "moderation",
    title: "Moderation",
    body: (
      <p>
        You can require approval for all posts or for posts from non-members. Posthouse notifies the
        moderators, or the owners of your company if the group has none. Pending posts are under{" "}
        <ConsoleLink to="quarantine">Quarantine</ConsoleLink> and are deleted after 30 days.
      </p>
    ),
  },
  {
    id: "replies",
    title: "Replies",
    body: (
      <p>
        Replies go to the sender unless you choose the group. To let members with a mailbox send
        from the group’s address, allow it under Access and settings.
      </p>
    ),
  },
];
