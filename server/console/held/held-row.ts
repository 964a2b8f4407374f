import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { HeldMailbox } from "#server/core/guard/list-held.ts";

export const HeldPath = z.object({ mailbox: z.string() });

/** A mailbox whose sending is held. */
export const HeldRow = z.object({
  mailbox: z.string(),
  name: z.string(),
  since: z.string(),
  messages: z.number().describe("That wait"),
  recipients: z.number().describe("Of these messages, outside the company"),
  client_addresses: z.array(z.string()).describe("Where the messages came from, some of them"),
  sample: z
    .array(
      z.object({
        subject: z.string(),
        recipients: z.array(z.string()).describe("The first ones"),
        more: z.number().describe("Further recipients"),
        sent_at: z.string(),
      }),
    )
    .describe("The newest messages"),
});

export function heldRow(held: HeldMailbox): z.input<typeof HeldRow> {
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
