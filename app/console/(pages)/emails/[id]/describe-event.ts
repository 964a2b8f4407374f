import type { EmailEvent } from "#app/console/(pages)/emails/queries.ts";

type EventDescription = {
  title: string;
  /** A sentence for readers who don't know SMTP reply codes. */
  explanation: string | null;
  /** The receiving server's own words, or the clicked link. */
  quote: string | null;
};

export function describeEvent(event: EmailEvent): EventDescription {
  return {
    explanation: event.explanation?.why ?? null,
    quote: event.message,
    ...byType[event.type](event, event.recipient ?? "all recipients"),
  };
}

type Description = Partial<EventDescription> & { title: string };

const byType: Record<EmailEvent["type"], (event: EmailEvent, recipient: string) => Description> = {
  scheduled: ({ reason }) => ({
    title: "Scheduled",
    explanation: reason ?? "It will be sent at the scheduled time.",
  }),
  queued: () => ({
    title: "Queued",
    explanation: "The scheduled time has passed, and the email is waiting to be sent.",
  }),
  sent: () => ({ title: "Sent", explanation: "Accepted and queued for delivery." }),
  delivered: (_, recipient) => ({ title: `Delivered to ${recipient}` }),
  delivery_delayed: ({ explanation }, recipient) => ({
    title: `Delayed for ${recipient}`,
    explanation: `${explanation?.why ?? ""} Posthouse retries automatically.`.trim(),
  }),
  bounced: (_, recipient) => ({ title: `Bounced: ${recipient}` }),
  failed: ({ recipient }) => ({ title: recipient ? `Failed for ${recipient}` : "Failed" }),
  canceled: ({ reason }) => ({
    title: "Canceled",
    explanation: reason ? `${reason}.` : "The email won’t be sent.",
  }),
  suppressed: (_, recipient) => ({ title: `Not sent to ${recipient} (suppressed)` }),
  opened: (_, recipient) => ({ title: `Opened by ${recipient}` }),
  clicked: ({ link }, recipient) => ({ title: `Link clicked by ${recipient}`, quote: link }),
};
