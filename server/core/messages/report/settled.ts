import type { Message, MessageRecipient } from "#drizzle/schema/index.ts";

/** What a report says of the message it is about. */
export type ReportedMessage = Pick<
  Message,
  | "id"
  | "companyId"
  | "origin"
  | "sender"
  | "isSenderTold"
  | "subject"
  | "messageId"
  | "envelopeId"
  | "returnFull"
  | "size"
  | "createdAt"
>;

/** A recipient of whom there is something new. */
export type Settled = Pick<
  MessageRecipient,
  "recipient" | "originalRecipient" | "notify" | "dsn" | "reply" | "createdAt"
> & {
  rowId: string;
  message: ReportedMessage;
  /** `bounced` also for one who has been tried for two days: `dsn` is then of the last attempt, 4.x.x. */
  result: "delivered" | "delayed" | "bounced";
  delivery: "delivered" | "relayed" | "expanded";
  /** For a delay. */
  nextAttemptAt: string | null;
  waitedSeconds: number;
  isDelayTold: boolean;
};
