import type { Logger } from "pino";

import { BatchWriter } from "#server/core/shared/batch-writer.ts";

import { backoffMs } from "./backoff.ts";

const FLUSH_EVERY_MS = 20;
const FLUSH_AT = 200;
const BATCH_MAX = 500;

export type OutcomeWriter<Outcome> = BatchWriter<Outcome>;

/** Writes outcomes in batches, hundreds per commit. While a write fails, no more work should be leased. */
export function createOutcomeWriter<Outcome>({
  write,
  onWritten,
  log,
}: {
  write: (outcomes: Outcome[]) => Promise<unknown>;
  onWritten: (outcomes: Outcome[]) => void;
  log: Logger;
}): OutcomeWriter<Outcome> {
  return new BatchWriter({
    ...{ write, onWritten, retryMs: backoffMs },
    ...{ batchMax: BATCH_MAX, flushAt: FLUSH_AT, flushAfterMs: FLUSH_EVERY_MS },
    onFailing: (error, { length }) =>
      log.error({ err: error, outcomes: length }, "could not record outcomes; retrying"),
    onRecovered: () => log.info("recording outcomes again"),
  });
}
