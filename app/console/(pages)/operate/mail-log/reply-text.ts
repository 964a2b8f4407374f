import type { AnswerOf } from "#app/console/console-client.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

export type IncomingEntry = AnswerOf<"mailLog.list">["data"][number];
export type OutgoingEntry = AnswerOf<"mailLog.listOutgoing">["data"][number];

export const KINDS: Record<IncomingEntry["kind"], { label: string; tone: StatusTone }> = {
  received: { label: "Received", tone: "done" },
  submitted: { label: "Sent", tone: "done" },
  refused: { label: "Rejected", tone: "failed" },
  sign_in_failed: { label: "Sign-in failed", tone: "waiting" },
};

export const RESULTS: Record<OutgoingEntry["result"], { label: string; tone: StatusTone }> = {
  delivered: { label: "Delivered", tone: "done" },
  delayed: { label: "Delayed", tone: "waiting" },
  bounced: { label: "Bounced", tone: "failed" },
  not_sent: { label: "Not sent", tone: "failed" },
};

export const ORIGINS: Record<OutgoingEntry["kind"], string> = {
  email: "Email sent through the API",
  submission: "Message from a mail app",
  forward: "Message forwarded by a mailbox",
  vacation: "Automatic reply of a mailbox",
  group: "Copy for a group or a company’s owners",
  incoming: "Incoming message for a mailbox",
  report: "Message from this server, such as a delivery report",
};

type Explanation = { tone: string; advice: string };

/** The first matching pattern applies. */
const REPLIES: [pattern: RegExp, explanation: Explanation][] = [
  [
    /5\.1\.1 /,
    {
      tone: "This address doesn’t exist here.",
      advice: "If it should, create a mailbox, alias, or group with this address.",
    },
  ],
  [
    /only accepts mail for its own domains/,
    {
      tone: "The domain of this address isn’t hosted on this server.",
      advice: "If it should be, create the domain and verify its ownership.",
    },
  ],
  [
    /4\.2\.2 /,
    {
      tone: "The mailbox is full. The sending server will retry.",
      advice: "Increase the storage limit, or ask the mailbox user to delete mail.",
    },
  ],
  [
    /blocklist/,
    {
      tone: "The sending server is on one of the DNS blocklists in dnsbl_zones.",
      advice:
        "The operator of the sending server needs to request removal from the list. Mail to postmaster is always accepted.",
    },
  ],
  [
    /Greylisted/,
    {
      tone: "Greylisting: an unknown sender has to retry. Legitimate servers do.",
      advice: "No action needed. To avoid the delay, turn off greylisting for the company.",
    },
  ],
  [
    /5\.7\.26 /,
    {
      tone: "The message failed DMARC, and the From domain asks receivers to reject such mail.",
      advice: "The sender needs to send through an authorized server or sign with DKIM.",
    },
  ],
  [
    /rejected as spam or a virus/,
    {
      tone: "The spam filter rejected the message.",
      advice:
        "If it was legitimate, raise spam_reject_score under Limits and ask the sender to resend it.",
    },
  ],
  [
    /5\.7\.8 /,
    {
      tone: "The address or password is incorrect.",
      advice:
        "Repeated failures from one IP address are probably guesses, and are throttled automatically. If it’s a mailbox user, reset their password.",
    },
  ],
  [
    /4\.7\.0 /,
    {
      tone: "Rate limit exceeded.",
      advice: "No action needed. The limit resets automatically.",
    },
  ],
  [
    /4\.3\.1 /,
    {
      tone: "This server can’t accept mail right now.",
      advice: "The disk or the queue is full. Check Health.",
    },
  ],
  [
    /4\.3\.0 /,
    {
      tone: "An error on this server. The sender will retry.",
      advice: "Check Health and posthouse logs --process mail.",
    },
  ],
  [/5\.7\.1 /, { tone: "Rejected by policy.", advice: "See the reply for the reason." }],
  [/^250 /, { tone: "Accepted: the message is in the mailbox or in the queue.", advice: "" }],
];

/** Explains a reply of this server and how to fix the problem. */
export function explainReply(reply: string): Explanation {
  const found = REPLIES.find(([pattern]) => pattern.test(reply));
  if (found) return found[1];
  return reply.startsWith("4")
    ? { tone: "Temporary error. The sender will retry.", advice: "" }
    : { tone: "Permanently rejected.", advice: "See the reply for the reason." };
}
