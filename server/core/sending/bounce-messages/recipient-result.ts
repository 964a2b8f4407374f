import { sql } from "drizzle-orm";

import type { MessageRecipient, MessageRow } from "#drizzle/schema/index.ts";

/** A new result of a recipient. */
export type RecipientResult = Pick<
  MessageRecipient,
  "recipient" | "originalRecipient" | "notify" | "dsn" | "reply"
> & {
  rowId: string;
  message: OriginalMessage;
  /** `bounced` also after the last retry: `dsn` is then of the last attempt, 4.x.x. */
  result: "delivered" | "delayed" | "bounced";
  /** `transferred`: to a server that sends the notifications. */
  delivery: "delivered" | "relayed" | "transferred" | "expanded";
  /** Name of the other server, if one was reached. */
  host: string | null;
  /** When Posthouse stops retrying; null unless delivery is retried. */
  giveUpAt: string | null;
  waitedSeconds: number;
  isDelayReported: boolean;
  /** Whether this failure suspended the forward. */
  isSuspended?: boolean;
};

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
} satisfies Partial<Record<keyof MessageRow, string>>;

/** The message that a bounce message is about. */
export type OriginalMessage = Pick<MessageRow, keyof typeof COLUMNS>;

/** SQL for it as JSON, from the row `m` of messages. */
export const originalMessage = sql.raw(
  `jsonb_build_object(${Object.entries(COLUMNS)
    .map(([name, column]) => `'${name}', m.${column}`)
    .join(", ")})`,
);
