import type { EmailEvent } from "#app/console/(pages)/emails/queries.ts";

import { codeInWords } from "./delivery-code.ts";

type Words = {
  title: string;
  /** A sentence for people who do not know mail codes. */
  explanation: string | null;
  /** What was said by others, as they said it. */
  quote: string | null;
};

/** An entry of an email's history, in plain words. */
export function inWords(event: EmailEvent): Words {
  return {
    explanation: event.reason,
    quote: event.message,
    ...byType[event.type](event, event.recipient ?? "all recipients"),
  };
}

type Said = Partial<Words> & { title: string };

const byType: Record<EmailEvent["type"], (event: EmailEvent, who: string) => Said> = {
  scheduled: ({ reason }) => ({
    title: "Scheduled",
    explanation: reason ?? "It waits for its time.",
  }),
  queued: () => ({
    title: "Due",
    explanation: "Its time has come: it waits to be handed over for delivery.",
  }),
  sent: () => ({ title: "Sent", explanation: "Accepted, and handed over for delivery." }),
  delivered: (_, who) => ({ title: `Delivered to ${who}` }),
  delivery_delayed: (event, who) => ({
    title: `Delayed for ${who}`,
    explanation: `${codeOf(event)} Posthouse tries again by itself.`,
  }),
  bounced: (event, who) => ({ title: `Bounced: ${who}`, explanation: codeOf(event) }),
  failed: ({ recipient }) => ({ title: recipient ? `Failed for ${recipient}` : "Failed" }),
  canceled: ({ reason }) => ({
    title: "Canceled",
    explanation: reason ?? "It will not be sent.",
  }),
  suppressed: ({ reason }, who) => ({
    title: `Not sent to ${who}`,
    explanation: reason && `${reason}.`,
  }),
  opened: (_, who) => ({ title: `Opened by ${who}` }),
  clicked: ({ link }, who) => ({ title: `${who} followed a link`, quote: link }),
};

function codeOf({ dsn, recipient, reason }: EmailEvent): string {
  if (dsn === null) return reason ?? "The receiving server gave no code.";
  return codeInWords(dsn, recipient?.split("@").at(-1) ?? "the receiving server");
}
