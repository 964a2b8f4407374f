import type { GuideContext, GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const receiving = ({ domain }: GuideContext): GuideSection[] => [
  {
    id: "what",
    title: "What an inbound address is",
    body: (
      <p>
        Mail to an inbound address, such as <code>{`support@${domain}`}</code>, goes to your
        programs instead of a mailbox. A catch-all, such as <code>{`*@reply.${domain}`}</code>,
        receives mail to all addresses of a domain that don’t exist. Create both under{" "}
        <ConsoleLink to="receiving">Receiving</ConsoleLink>. The domain’s MX record must point to
        this server.
      </p>
    ),
  },
  {
    id: "events",
    title: "What your programs receive",
    body: (
      <p>
        Each email fires the webhook event <code>email.received</code>, which has its addresses, its
        subject, and its attachments’ names. The endpoint <code>GET /emails/receiving</code> has the
        text, the HTML, the headers, and links that download files for an hour.
      </p>
    ),
  },
  {
    id: "checks",
    title: "Forged mail and spam",
    body: (
      <p>
        Anyone can write anything into From. Trust it only if DMARC is <code>pass</code>. Mail that
        fails a DMARC policy of <code>reject</code>, and the worst spam, is rejected, as for
        mailboxes. Other spam is delivered and marked. Messages with a virus go to{" "}
        <ConsoleLink to="quarantine">Quarantine</ConsoleLink>.
      </p>
    ),
  },
  {
    id: "replies",
    title: "Replies",
    body: (
      <p>
        A reply to an email that you sent with the API appears in that email’s timeline, and fires{" "}
        <code>email.replied</code>, whether a mailbox, a group, or an inbound address receives it.
        Bounces and automatic replies don’t count.
      </p>
    ),
  },
];
