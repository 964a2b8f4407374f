import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { HeldMailbox } from "#server/core/mail/guard/list-held.ts";

export const OnHoldPath = z.object({ mailbox: z.string() });

export const OnHoldRow = z.object({
  mailbox: z.string(),
  name: z.string(),
  since: z.string(),
  messages: z.number().describe("Messages on hold"),
  recipients: z.number().describe("Recipients of these messages, all outside the company"),
  client_addresses: z
    .array(z.string())
    .describe("Some of the addresses the messages were sent from"),
  sample: z
    .array(
      z.object({
        subject: z.string(),
        recipients: z.array(z.string()).describe("First few recipients"),
        more: z.number().describe("Number of other recipients"),
        sent_at: z.string(),
      }),
    )
    .describe("Latest messages"),
});

export function onHoldRow(held: HeldMailbox): z.input<typeof OnHoldRow> {
  const { address: mailbox, name, messages, recipients, clientAddresses } = held;
  return {
    ...{ mailbox, name, messages, recipients },
    since: consoleTimestamp(held.since),
    client_addresses: clientAddresses,
    sample: held.sample.map(({ subject, recipients, more, sentAt }) => ({
      ...{ subject, recipients, more },
      sent_at: consoleTimestamp(sentAt),
    })),
  };
}
