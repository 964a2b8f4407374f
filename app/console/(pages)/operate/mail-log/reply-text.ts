import type { Meaning } from "#app/console/ui/status.tsx";

import type { Kind, OutgoingEntry, Result } from "./queries.ts";

export const KINDS: Record<Kind, { word: string; meaning: Meaning }> = {
  received: { word: "Received", meaning: "done" },
  submitted: { word: "Sent", meaning: "done" },
  refused: { word: "Rejected", meaning: "failed" },
  sign_in_failed: { word: "Sign-in failed", meaning: "waiting" },
};

export const RESULTS: Record<Result, { word: string; meaning: Meaning }> = {
  delivered: { word: "Delivered", meaning: "done" },
  delayed: { word: "Delayed", meaning: "waiting" },
  bounced: { word: "Bounced", meaning: "failed" },
  not_sent: { word: "Not sent", meaning: "failed" },
};

export const ORIGINS: Record<OutgoingEntry["kind"], string> = {
  email: "Email sent through the API",
  submission: "Message from a mail app",
  forward: "Message forwarded by a mailbox",
  vacation: "Automatic reply of a mailbox",
  group: "Copy for a group or a company's owners",
  incoming: "Incoming message for a mailbox",
  report: "Message from this server, such as a delivery report",
};

type Explanation = { meaning: string; advice: string };

/** The first matching pattern applies. */
const REPLIES: [pattern: RegExp, explanation: Explanation][] = [
  [
    /5\.1\.1 /,
    {
      meaning: "This address doesn't exist here.",
      advice: "If it should, create a mailbox, alias or group with this address.",
    },
  ],
  [
    /takes mail for its own domains only/,
    {
      meaning: "The domain of this address isn't hosted on this server.",
      advice: "If it should be, create the domain and verify its ownership.",
    },
  ],
  [
    /4\.2\.2 /,
    {
      meaning: "The mailbox is full. The sending server will retry.",
      advice: "Increase the storage limit, or ask the mailbox user to delete mail.",
    },
  ],
  [
    /blocklist/,
    {
      meaning: "The sending server is on one of the DNS blocklists in dnsbl_zones.",
      advice:
        "The operator of the sending server needs to request removal from the list. Mail to postmaster is always accepted.",
    },
  ],
  [
    /Not seen before/,
    {
      meaning: "Greylisting: an unknown sender has to retry. Legitimate servers do.",
      advice: "No action needed. To avoid the delay, turn off greylisting for the company.",
    },
  ],
  [
    /5\.7\.26 /,
    {
      meaning: "The message failed DMARC, and the From domain asks receivers to reject such mail.",
      advice: "The sender needs to send through an authorized server or sign with DKIM.",
    },
  ],
  [
    /looks like spam or a virus/,
    {
      meaning: "The spam filter rejected the message.",
      advice:
        "If it was legitimate, raise spam_reject_score under Limits and ask the sender to resend it.",
    },
  ],
  [
    /5\.7\.8 /,
    {
      meaning: "The address or password is incorrect.",
      advice:
        "Repeated failures from one IP address are probably guesses, and are throttled automatically. If it's a user you know, reset the password.",
    },
  ],
  [
    /4\.7\.0 /,
    {
      meaning: "Rate limit exceeded.",
      advice: "No action needed. The limit resets by itself.",
    },
  ],
  [
    /4\.3\.1 /,
    {
      meaning: "This server can't accept mail right now.",
      advice: "The disk or the queue is full. Check Health.",
    },
  ],
  [
    /4\.3\.0 /,
    {
      meaning: "An error on this server. The sender will retry.",
      advice: "Check Health and logs/mail.log.",
    },
  ],
  [/5\.7\.1 /, { meaning: "Rejected by policy.", advice: "See the reply for the reason." }],
  [/^250 /, { meaning: "Accepted: the message is in the mailbox or in the queue.", advice: "" }],
];

/** Explains a reply of this server and how to fix the problem. */
export function explainReply(reply: string): Explanation {
  const found = REPLIES.find(([pattern]) => pattern.test(reply));
  if (found) return found[1];
  return reply.startsWith("4")
    ? { meaning: "Temporary error. The sender will retry.", advice: "" }
    : { meaning: "Permanently rejected.", advice: "See the reply for the reason." };
}
