import type { Meaning } from "#app/console/ui/status.tsx";

import type { Kind, OutgoingEntry, Result } from "./queries.ts";

export const KINDS: Record<Kind, { word: string; meaning: Meaning }> = {
  received: { word: "Received", meaning: "done" },
  submitted: { word: "Sent", meaning: "done" },
  refused: { word: "Refused", meaning: "failed" },
  sign_in_failed: { word: "Sign-in failed", meaning: "waiting" },
};

export const RESULTS: Record<Result, { word: string; meaning: Meaning }> = {
  delivered: { word: "Delivered", meaning: "done" },
  delayed: { word: "Delayed", meaning: "waiting" },
  bounced: { word: "Bounced", meaning: "failed" },
  not_sent: { word: "Not sent", meaning: "failed" },
};

/** What left, by where it came from. */
export const ORIGINS: Record<OutgoingEntry["kind"], string> = {
  email: "An email of the API",
  submission: "Mail from a mail app",
  forward: "A forward of a mailbox",
  vacation: "An automatic reply of a mailbox",
  group: "A copy for a group, or for a company's owners",
  incoming: "Mail from outside, for a mailbox here",
  report: "Told by this server, such as a delivery report",
};

type Explanation = { means: string; todo: string };

/** What our replies mean, and what somebody can do: the first that fits. */
const REPLIES: [pattern: RegExp, words: Explanation][] = [
  [
    /5\.1\.1 /,
    {
      means: "Nobody has this address here.",
      todo: "If somebody should, create a mailbox, alias or group of that name.",
    },
  ],
  [
    /takes mail for its own domains only/,
    {
      means: "The address is at a domain that is not of this server.",
      todo: "If it should be, add the domain to the company and prove its ownership.",
    },
  ],
  [
    /4\.2\.2 /,
    {
      means: "The mailbox is full. The sender tries again.",
      todo: "Give the mailbox more room, or ask the person to delete mail.",
    },
  ],
  [
    /blocklist/,
    {
      means: "The sending server is on a DNS blocklist that dnsbl_zones names.",
      todo: "Their operator has it taken off that list. Mail to postmaster is taken all the same.",
    },
  ],
  [
    /Not seen before/,
    {
      means: "Greylisting: a sender never seen before has to come again. Honest servers do.",
      todo: "Nothing. Switch greylisting off for the company if it must not wait.",
    },
  ],
  [
    /5\.7\.26 /,
    {
      means: "The From domain asks receivers to refuse mail that it does not vouch for (DMARC).",
      todo: "The sender has to send through a server of that domain, or sign with its key.",
    },
  ],
  [
    /looks like spam or a virus/,
    {
      means: "The spam filter is sure.",
      todo: "If it was wrong, raise spam_reject_score under Limits and ask for the message again.",
    },
  ],
  [
    /5\.7\.8 /,
    {
      means: "The address or the password is wrong.",
      todo: "Many from one address are guesses, and are slowed down by themselves. If it is somebody you know, reset the password.",
    },
  ],
  [
    /4\.7\.0 /,
    {
      means: "Too much from there in a short time.",
      todo: "Nothing: it is let in again by and by.",
    },
  ],
  [
    /4\.3\.1 /,
    {
      means: "This server has no room for mail at the moment.",
      todo: "Look at Health: the disk is nearly full, or the queue is full.",
    },
  ],
  [
    /4\.3\.0 /,
    {
      means: "Trouble of this server. The sender tries again.",
      todo: "Look at Health; logs/mail.log has the details.",
    },
  ],
  [
    /5\.7\.1 /,
    { means: "Policy: it may not be sent this way.", todo: "The reply says what is in the way." },
  ],
  [/^250 /, { means: "Taken: it is in the mailbox or committed to the queue.", todo: "" }],
];

/** What a reply of ours means, and what can be done. */
export function explainReply(reply: string): Explanation {
  const found = REPLIES.find(([pattern]) => pattern.test(reply));
  if (found) return found[1];
  return reply.startsWith("4")
    ? { means: "Not now: the sender tries again.", todo: "" }
    : { means: "Refused for good.", todo: "The reply says why." };
}
