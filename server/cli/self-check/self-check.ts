import type { Display } from "#server/cli/display.mjs";
import type { Config } from "#server/config.ts";
import type { Sandbox } from "#server/core/operations/sandbox/sandbox.ts";
import { readHolds } from "#server/core/operations/queue/holds.ts";
import { localUrlHost } from "#server/core/operations/system-checks/local-address.ts";
import type { Db } from "#server/db/client.ts";

import { awaitDelivery } from "./await-delivery.ts";
import { readMessage } from "./read-message.ts";
import { sendEmail } from "./send-email.ts";
import { verifySignature } from "./verify-signature.ts";

const TIMEOUT_MS = 30_000;

export type Check = {
  db: Db;
  config: Config;
  sandbox: Sandbox;
  /** Root of the API on this machine. */
  apiUrl: string;
  subject: string;
  /** Aborts what a step waits for. */
  signal: AbortSignal;
};

/**
 * Returns why the sandbox company's mail can't be delivered even if every part works, such as a hold after a restore; null if
 * it can.
 */
export async function findObstacle(db: Db, sandbox: Sandbox): Promise<string | null> {
  const holds = await readHolds(db);
  if (!holds.covers(sandbox.companyId, sandbox.domain)) return null;
  return "outgoing mail of the sandbox company is on hold";
}

/**
 * Tests this appliance end to end: sends an email through the REST API, waits for its delivery, reads it over
 * IMAP and verifies its DKIM signature. Shows each step with its duration.
 *
 * @throws Error that names the failed part and where to look, within 30 s
 */
export async function selfCheck(
  db: Db,
  config: Config,
  sandbox: Sandbox,
  display: Display,
): Promise<void> {
  const check: Check = {
    db,
    config,
    sandbox,
    apiUrl: `http://${localUrlHost(config.bind)}:${config.ports.web}`,
    subject: `Self-check of ${new Date().toISOString()}`,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  let id = "";
  let message: Buffer = Buffer.alloc(0);
  await display.step(
    "Send an email through the REST API",
    async () => (id = await sendEmail(check)),
  );
  await display.step("Wait for email.delivered", () => awaitDelivery(check, id));
  await display.step("Read it over IMAP", async () => {
    message = await readMessage(check);
    return `${message.length} bytes`;
  });
  await display.step("Verify its DKIM signature", () => verifySignature(check, message));
}
