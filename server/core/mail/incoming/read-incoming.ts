import {
  type Bounce,
  type Complaint,
  readBounce,
  readComplaint,
} from "#server/core/mail/report-parsing/read-bounce.ts";
import { type DmarcReading, readDmarcReport } from "#server/core/mail/report-parsing/read-dmarc.ts";
import { readTls, type TlsReading } from "#server/core/mail/report-parsing/read-tls.ts";
import { unpack } from "#server/core/mail/report-parsing/unpack.ts";
import { type MessagePart, parseMessage } from "#server/core/shared/mime/parse-message.ts";

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

type Found = { dmarc: DmarcReading[]; tls: TlsReading[]; problems: string[] };

/** Parses the reports among a message's attachments. Detects their type by the first bytes. */
async function readAttachedReports(parts: MessagePart[], now: Date): Promise<Found> {
  const found: Found = { dmarc: [], tls: [], problems: [] };
  for (const { content } of parts) {
    try {
      for (const file of await unpack(content)) readFile(file, now, found);
    } catch (error) {
      found.problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  return found;
}

function readFile(file: Buffer, now: Date, found: Found): void {
  const start = file
    .subarray(0, 200)
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .trimStart();
  if (start.startsWith("<")) found.dmarc.push(readDmarcReport(file.toString("utf8"), now));
  else if (start.startsWith("{")) found.tls.push(...readTls(file, now));
}
