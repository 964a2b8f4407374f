import { parseReceived } from "#server/core/mail/received/parse-received.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Parses a received email and publishes `email.received`, once. */
export const parseReceivedTask = defineTask("parse_received", async ({ id }, attempt) => {
  await parseReceived(db(), id, { attempt });
});
