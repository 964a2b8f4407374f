import { z } from "zod";

import type { Quarantined } from "#drizzle/schema/index.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";

export const NOT_FOUND = "Message not found in quarantine";
export const QuarantinePath = z.object({ id: z.uuid() });
export const Reason = z.enum(["spam", "virus", "moderation"]);

export const QuarantineRow = z.object({
  id: z.string(),
  reason: Reason,
  /** Return path; empty for none. */
  sender: z.string(),
  /** The From field, decoded for display. */
  from: z.string(),
  subject: z.string(),
  recipients: z.array(z.string()),
  /** From rspamd. */
  score: z.number().nullable(),
  created_at: z.string(),
});

export const QuarantineDetail = QuarantineRow.extend({
  /** Strongest first: rspamd symbols, or sentences from Posthouse. */
  findings: z.array(z.string()),
  client_address: z.string().nullable(),
  /** Octets. */
  size: z.int(),
  text: z.string(),
  is_from_html: z.boolean(),
  attachments: z.array(z.object({ name: z.string(), type: z.string(), size: z.int() })),
  source: z.string(),
  is_cut: z.boolean(),
});

export function quarantineRow(held: Quarantined): z.input<typeof QuarantineRow> {
  const { id, reason, sender, headerFrom: from, subject, recipients, score, createdAt } = held;
  return {
    ...{ id, reason, sender, from, subject, recipients, score },
    created_at: consoleTimestamp(createdAt),
  };
}
