import type { MessageRecipient } from "#drizzle/schema/index.ts";

import type { OriginalMessage } from "./original-message.ts";

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
