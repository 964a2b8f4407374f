import { recordBounce } from "#server/core/mail/feedback/bounces.ts";
import { recordComplaint } from "#server/core/mail/feedback/record-complaint.ts";
import { storeReports } from "#server/core/mail/reports/reports.ts";
import type { Db } from "#server/db/client.ts";

import type { SystemAddress } from "./recipients.ts";
import type { SystemMail } from "./read-incoming.ts";
import { readInThread } from "./read-in-thread.ts";

/** What a message to a system address turned out to be. */
export type IncomingOutcome =
  | { kind: "dmarc" | "tls" | "complaint" | "bounce" }
  /** Dropped. */
  | { kind: "nothing"; why: string }
  /** The sender should retry: the delivery that it is about isn't recorded yet. */
  | { kind: "too_early" };

/**
 * Handles a message to a system address: records the reports, complaint or bounce in it. Committed when this
 * resolves. Idempotent.
 *
 * @param isVerified whether SPF or DKIM passes for the domain in From; called for a complaint only
 * @throws Error only for failures of our own, which can be retried, and what `isVerified` throws
 */
export async function handleIncoming(
  db: Db,
  to: SystemAddress,
  message: Buffer,
  isVerified: () => Promise<boolean>,
): Promise<IncomingOutcome> {
  const reading = await readInThread(message, { isUrgent: to.kind === "email" });
  if (reading.kind === "nothing") return { kind: "nothing", why: reading.why };
  const kind = await record(db, to, reading, isVerified);
  return kind === "nothing" ? { kind, why: UNRELATED[reading.kind] } : { kind };
}

type UsefulReading = Exclude<SystemMail, { kind: "nothing" }>;

const UNRELATED: Record<UsefulReading["kind"], string> = {
  reports:
    "The report's domain is unknown or over its daily limit, or the report was sent to the wrong address",
  complaint: "The complaint's email is unknown, or the complaint is already recorded",
  bounce: "The bounce's email or recipient is unknown, or the bounce is already recorded",
};

async function record(
  db: Db,
  to: SystemAddress,
  reading: UsefulReading,
  isVerified: () => Promise<boolean>,
): Promise<IncomingOutcome["kind"]> {
  const emailId = to.kind === "email" ? to.emailId : null;
  switch (reading.kind) {
    case "reports":
      return to.kind === "reports" ? storeReports(db, reading) : "nothing";
    case "complaint":
      return recordComplaint(db, emailId, reading.complaint, { isVerified: await isVerified() });
    case "bounce":
      return emailId === null ? "nothing" : recordBounce(db, emailId, reading.bounce);
  }
}
