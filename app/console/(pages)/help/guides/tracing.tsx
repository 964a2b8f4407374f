import type { GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const tracing = (): GuideSection[] => [
  {
    id: "in",
    title: "Missing incoming mail",
    body: (
      <>
        <p>
          Search the <ConsoleLink to="operate/mail-log">mail log</ConsoleLink> for the sender. It
          contains this server’s response for each recipient and goes back seven days.
        </p>
        <ul>
          <li>
            Received: the message is in the mailbox, its Junk folder, or the company’s Quarantine.
            Use the Message-ID to match it with the sender’s records.
          </li>
          <li>Rejected: the sender got our response. The entry explains how to fix the cause.</li>
          <li>
            Not listed: the message never reached this server. Check the domain’s MX record, and ask
            the sender for their delivery log.
          </li>
        </ul>
      </>
    ),
  },
  {
    id: "out",
    title: "Missing outgoing mail",
    body: (
      <>
        <p>
          <ConsoleLink to="operate/mail-log?tab=outgoing">Outgoing</ConsoleLink> lists every
          delivery attempt with the response of the recipient’s mail server. Open an entry to see
          all attempts for the message.
        </p>
        <ul>
          <li>
            Delivered: the recipient’s mail server accepted the message. It may be in their spam
            folder.
          </li>
          <li>
            Delayed: Posthouse retries at increasing intervals, for two days if it was sent through
            the API, otherwise for five.
          </li>
          <li>
            Bounced: delivery failed permanently. The sender is notified or sees it in Emails.
          </li>
          <li>Not sent: Posthouse skipped it, for example because it was suppressed.</li>
        </ul>
      </>
    ),
  },
  {
    id: "hold",
    title: "Put mail on hold",
    body: (
      <p>
        If a provider defers much of your mail, put its destination on hold in the{" "}
        <ConsoleLink to="operate/queue">queue</ConsoleLink>. Posthouse then makes no attempts, and
        no message expires, until you release the hold. You can also put all mail of a company on
        hold. Mail that you drop is never sent, and its senders are notified.
      </p>
    ),
  },
];
