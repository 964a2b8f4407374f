import { sendDigests } from "#server/core/mail/quarantine-digests/send-digests.ts";
import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";
import { defineTask } from "#worker/define-task.ts";

const log = createLogger("worker");

/** Safe to run concurrently: a mailbox's digest and the period that it covers are committed together. */
export const sendDigestsTask = defineTask("send_digests", async () => {
  await sendDigests(db(), log);
});
