import type { Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const spam = (): Section[] => [
  {
    id: "steps",
    title: "What happens to mail that comes in",
    body: (
      <ol>
        <li>SPF, DKIM and DMARC tell whether the sender is who they say.</li>
        <li>Content is judged, where the operator of this instance has rspamd running.</li>
        <li>Doubtful mail goes to the person’s Junk folder.</li>
        <li>
          Worse mail, and what is dangerous, is held under{" "}
          <PageLink to="quarantine">Quarantine</PageLink>: the person does not see it.
        </li>
        <li>The worst is refused; its sender is told.</li>
      </ol>
    ),
  },
  {
    id: "release",
    title: "Let something go",
    body: (
      <p>
        Open it in Quarantine, read why it is there and what it says (as text only), then release or
        delete it. Several can be decided at once. After 30 days what nobody decided about is
        deleted.
      </p>
    ),
  },
  {
    id: "teach",
    title: "Teach it",
    body: (
      <p>Moving mail into Junk, or out of it, teaches the filter. It works in every mail app.</p>
    ),
  },
  {
    id: "outgoing",
    title: "Spam from one of your own mailboxes",
    body: (
      <p>
        A mailbox that suddenly writes to many strangers from a network it is new on is held:
        nothing more leaves it. Under <PageLink to="on-hold">On hold</PageLink> you see what waits,
        let it go, or shut the stranger out: new password, all sessions ended, waiting mail dropped.
      </p>
    ),
  },
];
