import { takeBounce } from "#server/core/mail/feedback/take-bounce.ts";
import { takeComplaint } from "#server/core/mail/feedback/take-complaint.ts";
import { storeReports } from "#server/core/mail/reports/take-report.ts";
import type { Db } from "#server/db/client.ts";

import type { OwnAddress } from "./own-address.ts";
import type { Reading } from "./read-incoming.ts";
import { readOffLoop } from "./read-off-loop.ts";

/** What a message to an address of the appliance's own was. */
export type Taken =
  | { as: "dmarc" | "tls" | "complaint" | "bounce" }
  /** It is dropped. */
  | { as: "nothing"; why: string }
  /** Its sender shall send it again: what it is about is still being recorded. */
  | { as: "too_early" };

/**
 * Takes in a message for one of the appliance's own addresses: what it says is committed when this
 * resolves. Handed in twice it counts once.
 *
 * @throws Error only for trouble of ours: the message may be handed in again
 */
export async function takeIncoming(db: Db, to: OwnAddress, message: Buffer): Promise<Taken> {
  const reading = await readOffLoop(message, { isUrgent: to.kind === "email" });
  if (reading.kind === "nothing") return { as: "nothing", why: reading.why };
  const as = await record(db, to, reading);
  return as === "nothing" ? { as, why: UNRELATED[reading.kind] } : { as };
}

type Worth = Exclude<Reading, { kind: "nothing" }>;

const UNRELATED: Record<Worth["kind"], string> = {
  reports:
    "its report is about no domain of ours, came to the wrong address, or is one too many today",
  complaint: "its complaint is about no email of ours, or known already",
  bounce: "its bounce is about no delivery of ours, or known already",
};

async function record(db: Db, to: OwnAddress, reading: Worth): Promise<Taken["as"]> {
  const emailId = to.kind === "email" ? to.emailId : null;
  switch (reading.kind) {
    case "reports":
      return to.kind === "reports" ? storeReports(db, reading) : "nothing";
    case "complaint":
      return takeComplaint(db, emailId, reading.complaint);
    case "bounce":
      return emailId === null ? "nothing" : takeBounce(db, emailId, reading.bounce);
  }
}
