import {
  type Bounce,
  type Complaint,
  readBounce,
  readComplaint,
} from "#server/core/mail/report-parsing/read-bounce.ts";
import { readAttachedReports } from "#server/core/mail/report-parsing/read-attached-reports.ts";
import type { DmarcReading } from "#server/core/mail/report-parsing/read-dmarc.ts";
import type { TlsReading } from "#server/core/mail/report-parsing/read-tls.ts";

import { parseMessage } from "#server/core/shared/mime/parse-message.ts";

/** What a message to a system address contains. */
export type SystemMail =
  | { kind: "reports"; dmarc: DmarcReading[]; tls: TlsReading[] }
  | { kind: "complaint"; complaint: Complaint }
  | { kind: "bounce"; bounce: Bounce }
  /** Nothing of use, and why. */
  | { kind: "nothing"; why: string };

/** Parses an untrusted message. Never throws. Can take seconds, so call it through `readInThread`. */
export async function readIncoming(message: Buffer): Promise<SystemMail> {
  try {
    const parsed = parseMessage(message);
    const complaint = readComplaint(parsed);
    if (complaint) return { kind: "complaint", complaint };
    const bounce = readBounce(parsed);
    if (bounce) return { kind: "bounce", bounce };
    const { dmarc, tls, problems } = await readAttachedReports(parsed.parts, new Date());
    if (dmarc.length + tls.length > 0) return { kind: "reports", dmarc, tls };
    return { kind: "nothing", why: problems[0] ?? "It contains no report" };
  } catch (error) {
    return { kind: "nothing", why: error instanceof Error ? error.message : String(error) };
  }
}
