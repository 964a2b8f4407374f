import type { Logger } from "pino";

import { type MailboxUsage, recordUsage } from "#server/core/mailboxes/mailboxes/mailbox-usage.ts";
import { BatchWriter } from "#server/core/shared/batch-writer.ts";
import { db } from "#server/db/pool.ts";

const WRITE_AFTER_MS = 500;
const RETRY_MS = 2_000;
const BATCH_MAX = 500;
/** The limit while the database is unreachable. */
const WAITING_MAX = 20_000;

/**
 * The dict that Dovecot's quota_clone plugin writes the usage of a mailbox to, after each change. Many changes of a mailbox are
 * one write to the database, within a second.
 */
export function usageDict(log: Logger) {
  const writer = new BatchWriter<MailboxUsage>({
    write: (batch) =>
      recordUsage(db(), [...new Map(batch.map((usage) => [usage.address, usage])).values()]),
    batchMax: BATCH_MAX,
    flushAt: WAITING_MAX,
    flushAfterMs: WRITE_AFTER_MS,
    retryMs: () => RETRY_MS,
    waitingMax: WAITING_MAX,
    onFailing: (err) => log.warn({ err }, "could not store the usage of mailboxes; retrying"),
    ref: false,
  });
  return {
    dict: {
      write(address: string, values: Map<string, string>): void {
        const [usedBytes, messages] = ["storage", "messages"].map((name) =>
          Number(values.get(`priv/quota/${name}`)),
        );
        if (Number.isSafeInteger(usedBytes) && Number.isSafeInteger(messages))
          writer.add([{ address, usedBytes: usedBytes!, messages: messages! }]);
      },
    },
    /** Writes what waits. */
    flush: () => writer.flush(),
  };
}
