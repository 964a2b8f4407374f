import type { AnswerOf } from "#app/console/console-client.ts";
import { typographic } from "#app/console/ui/format.ts";
import type { NavigationArea } from "#app/console/shell/navigation.ts";
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

/** Kinds that a company's admins see. */
export const COMPANY_KINDS = {
  received: KINDS.received,
  submitted: KINDS.submitted,
  refused: KINDS.refused,
};

type Shown = { label: string; tone: StatusTone };

/** The status of an entry: its kind, unless the reply is more specific. */
export function incomingStatus({ kind, reply }: Pick<IncomingEntry, "kind" | "reply">): Shown {
  if (kind === "refused" && reply.startsWith("4")) return { label: "Deferred", tone: "waiting" };
  const isHeld = kind === "received" && /; (waiting|in quarantine)/.test(reply);
  return isHeld ? { label: "Waiting", tone: "waiting" } : KINDS[kind];
}

export function outgoingStatus({ result, reply }: Pick<OutgoingEntry, "result" | "reply">): Shown {
  const isHeld = result === "delivered" && reply?.startsWith("Waiting for a moderator");
  return isHeld ? { label: "Waiting", tone: "waiting" } : RESULTS[result];
}

/** What happened, without the raw reply of a server that accepted the message. */
export function outgoingText({
  why,
  reply,
  destination,
}: Pick<OutgoingEntry, "why" | "reply" | "destination">): string {
  if (why) return typographic(why);
  return reply?.startsWith("2") ? `Accepted by ${destination}.` : (reply ?? "");
}

type Explanation = {
  tone: string;
  advice: string;
  /** Replaces `advice` for operators. */
  operatorAdvice?: string;
};

/** The first matching pattern applies. */
const REPLIES: [pattern: RegExp, explanation: Explanation][] = [
  [
    /; waiting for a moderator/,
    {
      tone: "Accepted, and waiting for a moderator of the group.",
      advice: "A moderator approves or discards it. Moderators get an email with a link.",
    },
  ],
  [
    /; in quarantine/,
    {
      tone: "Accepted, and kept in quarantine as spam or a virus.",
      advice: "If it’s legitimate, release it under Quarantine.",
    },
  ],
  [
    /; queued after/,
    {
      tone: "Accepted, but the mailbox couldn’t take it yet. Posthouse will retry.",
      advice: "See the reply for the reason, and Delivery attempts for further attempts.",
    },
  ],
  [
    /; not delivered again/,
    { tone: "Accepted, but not delivered again: this is a mail loop.", advice: "" },
  ],
  [
    /; (discarded|not delivered):/,
    { tone: "Accepted, but not delivered.", advice: "See the reply for the reason." },
  ],
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
      tone: "The sending server is on a DNS blocklist.",
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
      advice: "If it was legitimate, ask your server’s operator to raise the spam threshold.",
      operatorAdvice:
        "If it was legitimate, raise “Reject incoming mail at” under Server settings and ask the sender to resend it.",
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
      advice: "Tell your server’s operator: the disk or the queue is full.",
      operatorAdvice: "The disk or the queue is full. Check Health.",
    },
  ],
  [
    /4\.3\.0 /,
    {
      tone: "An error on this server. The sender will retry.",
      advice: "If it continues, tell your server’s operator.",
      operatorAdvice: "Check Health and posthouse logs --process mail.",
    },
  ],
  [/5\.7\.1 /, { tone: "Rejected by policy.", advice: "See the reply for the reason." }],
  [/^250 /, { tone: "Accepted: in the mailbox or in the queue.", advice: "" }],
];

/** Explains a reply of this server and how to fix the problem. */
export function explainReply(
  reply: string,
  area: NavigationArea,
): Pick<Explanation, "tone" | "advice"> {
  const found = REPLIES.find(([pattern]) => pattern.test(reply))?.[1];
  if (found) {
    const { tone, advice, operatorAdvice = advice } = found;
    return { tone, advice: area === "operate" ? operatorAdvice : advice };
  }
  return reply.startsWith("4")
    ? { tone: "Temporary error. The sender will retry.", advice: "" }
    : { tone: "Permanently rejected.", advice: "See the reply for the reason." };
}
