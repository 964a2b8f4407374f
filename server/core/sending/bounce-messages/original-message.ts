import { sql } from "drizzle-orm";

import type { Message } from "#drizzle/schema/index.ts";

const COLUMNS = {
  id: "id",
  companyId: "company_id",
  origin: "origin",
  mailbox: "mailbox",
  groupAddress: "group_address",
  distributionId: "distribution_id",
  sender: "sender",
  isSenderTold: "is_sender_told",
  subject: "subject",
  messageId: "message_id",
  envelopeId: "envelope_id",
  returnFull: "return_full",
  size: "size",
  createdAt: "created_at",
} satisfies Partial<Record<keyof Message, string>>;

/** The message that a bounce message is about. */
export type OriginalMessage = Pick<Message, keyof typeof COLUMNS>;

/** SQL for it as JSON, from the row `m` of messages. */
export const originalMessage = sql.raw(
  `jsonb_build_object(${Object.entries(COLUMNS)
    .map(([name, column]) => `'${name}', m.${column}`)
    .join(", ")})`,
);
