import { inUtc, type NoticeText } from "./notice-text.ts";
import type { HeldSending } from "./read-held-sending.ts";

/** What those who look after mailboxes are told of one whose sending is held. */
export function heldSendingNotice(
  { address, since, messages, recipients }: HeldSending,
  { baseUrl, companyName }: { baseUrl: string; companyName: string },
): NoticeText {
  return {
    subject: `Mail of ${address} is held: somebody else may be sending it`,
    paragraphs: [
      `The mailbox ${address} of ${companyName} has suddenly written to many people it never wrote to before, from a network it has not been used from until now. That is what it looks like when somebody has got hold of a password. Since ${inUtc(since)} Posthouse keeps its mail to addresses outside the company back.`,
      `Held at the moment: ${messages === 1 ? "1 message" : `${messages} messages`} to ${recipients === 1 ? "1 recipient" : `${recipients} recipients`}. The mailbox receives as usual, and mail within the company goes on.`,
      "What to do: ask the person whether they sent it. If they did, release the mail. If they did not, contain the mailbox: its password is reset, every session ends, its app passwords are removed and what is held is thrown away.",
    ],
    link: { label: "Look at the held mail", url: `${baseUrl}/console/on-hold` },
    footer:
      "You get this email because you look after the company's mailboxes on this Posthouse appliance.",
  };
}
