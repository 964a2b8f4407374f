import { headerEnd } from "#server/core/shared/mime/header-fields.ts";
import { loadBeginning, loadContent } from "#server/core/sending/messages/load-content.ts";
import type { Db } from "#server/db/client.ts";

import type { Returned } from "./compose-report.ts";
import type { ReportedMessage } from "./reported-message.ts";
import type { Settled } from "./settled.ts";

/** Larger messages come back as their header: their sender has them, and a report must arrive. */
const WHOLE_OCTETS_MAX = 256 * 1024;
const HEADER_OCTETS_MAX = 64 * 1024;

/**
 * What of a message goes back with a report: the whole of it when it failed, is not large and its sender
 * did not want less (RET, RFC 3461, 4.3), else its header. A failed forward or post is always returned
 * whole, since there may be no other copy. Null if the message has been deleted.
 */
export async function loadReturned(
  db: Db,
  { id, origin, size, returnFull }: ReportedMessage,
  result: Settled["result"],
): Promise<Returned | null> {
  if ((origin === "forward" || origin === "group") && result === "bounced") {
    const content = await loadContent(db, id);
    return content && { content: withPlainLines(content), isWhole: true };
  }
  const beginning = await loadBeginning(db, id, WHOLE_OCTETS_MAX);
  if (!beginning) return null;
  const isWhole =
    returnFull && result === "bounced" && size <= WHOLE_OCTETS_MAX && hasPlainLines(beginning);
  if (isWhole) return { content: beginning, isWhole };
  const header = beginning.subarray(0, headerEnd(beginning)).subarray(0, HEADER_OCTETS_MAX);
  return { content: withPlainLines(header), isWhole };
}

/** Nothing is sent that has a CR or LF alone (see the carrier): with one the report would be lost. */
const hasPlainLines = (content: Buffer) => !/\r(?!\n)|(?<!\r)\n/.test(content.toString("latin1"));

function withPlainLines(content: Buffer): Buffer {
  if (hasPlainLines(content)) return content;
  const lines = content.toString("latin1").replace(/\r\n|\r|\n/g, "\r\n");
  return Buffer.from(lines, "latin1");
}
