import type { GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const spam = (): GuideSection[] => [
  {
    id: "steps",
    title: "How incoming mail is filtered",
    body: (
      <ol>
        <li>SPF, DKIM, and DMARC checks verify the sender.</li>
        <li>rspamd scores the content, if the operator of this server runs it.</li>
        <li>Suspicious mail goes to the Junk folder.</li>
        <li>
          Likely spam and dangerous mail goes to{" "}
          <ConsoleLink to="quarantine">Quarantine</ConsoleLink>. The mailbox user sees it only if
          the unit’s policies say so.
        </li>
        <li>Obvious spam is rejected, and the sender is notified.</li>
      </ol>
    ),
  },
  {
    id: "release",
    title: "Release mail from quarantine",
    body: (
      <p>
        Open a message in Quarantine to see why it is there and to read it as plain text. Then
        release or delete it. You can select several messages. Quarantined mail is deleted after 30
        days. Under <ConsoleLink to="units">Units</ConsoleLink>, you can send mailbox users a daily
        digest of their quarantined messages, and let them release spam themselves.
      </p>
    ),
  },
  {
    id: "teach",
    title: "Train the spam filter",
    body: (
      <p>
        Moving mail into or out of the Junk folder trains the filter. This works in every mail app.
      </p>
    ),
  },
  {
    id: "outgoing",
    title: "Spam from one of your mailboxes",
    body: (
      <p>
        If a mailbox suddenly sends to many new recipients from an unknown network, Posthouse puts
        its outgoing mail on hold. Under <ConsoleLink to="on-hold">On hold</ConsoleLink>, review the
        mail, release it, or secure the mailbox: this resets the password, ends all sessions, and
        deletes the mail on hold.
      </p>
    ),
  },
];
