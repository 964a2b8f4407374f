import type { EmailEvent } from "#app/console/(pages)/emails/queries.ts";

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
    explanation: event.explanation?.why ?? null,
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
  delivery_delayed: ({ explanation }, who) => ({
    title: `Delayed for ${who}`,
    explanation: `${explanation?.why ?? ""} Posthouse tries again by itself.`.trim(),
  }),
  bounced: (_, who) => ({ title: `Bounced: ${who}` }),
  failed: ({ recipient }) => ({ title: recipient ? `Failed for ${recipient}` : "Failed" }),
  canceled: ({ reason }) => ({
    title: "Canceled",
    explanation: reason ? `${reason}.` : "It will not be sent.",
  }),
  suppressed: (_, who) => ({ title: `Not sent to ${who}` }),
  opened: (_, who) => ({ title: `Opened by ${who}` }),
  clicked: ({ link }, who) => ({ title: `${who} followed a link`, quote: link }),
};
