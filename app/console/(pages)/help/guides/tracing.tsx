import type { Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const tracing = (): Section[] => [
  {
    id: "in",
    title: "Mail that should have come",
    body: (
      <>
        <p>
          Search for the sender in the <PageLink to="operate/mail-log">mail log</PageLink>: it has
          what this server answered for each recipient, for seven days.
        </p>
        <ul>
          <li>
            Received: it is in the mailbox, in Junk, or under Quarantine of that company. Its
            Message-ID is the one that the sender can name.
          </li>
          <li>Refused: the sender got our reply, and the entry says what to do about it.</li>
          <li>
            Not there: it did not get here. Look at the MX record of the domain, and ask the sender
            for the log of theirs.
          </li>
        </ul>
      </>
    ),
  },
  {
    id: "out",
    title: "Mail that should have arrived",
    body: (
      <>
        <p>
          Under <PageLink to="operate/mail-log?tab=outgoing">Outgoing</PageLink> is what became of
          each attempt, in the words of the other server. “All attempts for this message” shows the
          whole way of one.
        </p>
        <ul>
          <li>Delivered: their server has it. It may still be in their spam folder.</li>
          <li>Delayed: it is tried again for two days, at longer and longer distances.</li>
          <li>Bounced: it is over. The sender was told, or sees it under Emails.</li>
          <li>Not sent: the reason is ours, such as the suppression list.</li>
        </ul>
      </>
    ),
  },
  {
    id: "hold",
    title: "Hold mail back",
    body: (
      <p>
        A provider that puts off much of your mail is best left alone for a while: hold its
        destination in the <PageLink to="operate/queue">queue</PageLink>, and nothing is tried or
        given up until you release it. A company that sends what it should not is held the same way.
        What is dropped never leaves, and its senders are told.
      </p>
    ),
  },
];
