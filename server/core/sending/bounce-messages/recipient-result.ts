import type { MessageRecipient } from "#drizzle/schema/index.ts";

import type { OriginalMessage } from "./original-message.ts";

/** A recipient of whom there is something new. */
export type RecipientResult = Pick<
  MessageRecipient,
  "recipient" | "originalRecipient" | "notify" | "dsn" | "reply" | "createdAt"
> & {
  rowId: string;
  message: OriginalMessage;
  /** `bounced` also for one who has been tried for two days: `dsn` is then of the last attempt, 4.x.x. */
  result: "delivered" | "delayed" | "bounced";
  delivery: "delivered" | "relayed" | "expanded";
  /** The other server's name, where one was reached. */
  host: string | null;
  waitedSeconds: number;
  isDelayReported: boolean;
  /** Whether this failure suspended the forward. */
  isSuspended?: boolean;
};
