import type { MessageRecipient } from "#drizzle/schema/index.ts";

import type { ReportedMessage } from "./reported-message.ts";

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
  /** The other server's name, where one was reached. */
  host: string | null;
  waitedSeconds: number;
  isDelayTold: boolean;
  /** Whether this failure suspended the forward. */
  isSuspended?: boolean;
};
