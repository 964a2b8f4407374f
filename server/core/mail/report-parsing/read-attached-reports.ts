import type { MessagePart } from "#server/core/shared/mime/parse-message.ts";

import { type DmarcReading, readDmarcReport } from "./read-dmarc.ts";
import { readTls, type TlsReading } from "./read-tls.ts";
import { unpack } from "./internal/unpack.ts";

type Found = { dmarc: DmarcReading[]; tls: TlsReading[]; problems: string[] };

/** Parses the reports among a message's attachments. Detects their type by the first bytes. */
export async function readAttachedReports(parts: MessagePart[], now: Date): Promise<Found> {
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
