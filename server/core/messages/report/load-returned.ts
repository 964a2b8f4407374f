import { fieldValue, headerEnd, headerFields } from "#server/core/incoming/header-fields.ts";
import { loadBeginning } from "#server/core/messages/load-content.ts";
import type { Db } from "#server/db/client.ts";

import type { Returned } from "./compose-report.ts";
import type { ReportedMessage } from "./reported-message.ts";
import type { Settled } from "./settled.ts";

/** Larger messages come back as their header: their sender has them, and a report must arrive. */
const WHOLE_OCTETS_MAX = 256 * 1024;
const HEADER_OCTETS_MAX = 64 * 1024;

const EMPTY = Buffer.alloc(0);

/**
 * What of a message goes back with a report: the whole of it when it failed, is not large and its sender
 * did not want less (RET, RFC 3461, 4.3), else its header. Null when the message is not kept any more.
 */
export async function loadReturned(
  db: Db,
  { id, size, returnFull }: ReportedMessage,
  result: Settled["result"],
): Promise<{ returned: Returned | null; header: Buffer }> {
  const beginning = await loadBeginning(db, id, WHOLE_OCTETS_MAX);
  if (!beginning) return { returned: null, header: EMPTY };
  const header = beginning.subarray(0, headerEnd(beginning)).subarray(0, HEADER_OCTETS_MAX);
  const isWhole =
    returnFull && result === "bounced" && size <= WHOLE_OCTETS_MAX && hasPlainLines(beginning);
  return { returned: isWhole ? { content: beginning, isWhole } : headerOnly(header), header };
}

/** Whether a message is an answer that a program gave (RFC 3834, 5), such as a report. */
export function isAboutAnAnswer(header: Buffer): boolean {
  return headerFields(header).some(
    (field) => field.name === "auto-submitted" && !/^no\b/i.test(fieldValue(header, field)),
  );
}

/** Nothing is sent that has a CR or LF alone (see the carrier): with one the report would be lost. */
const hasPlainLines = (content: Buffer) => !/\r(?!\n)|(?<!\r)\n/.test(content.toString("latin1"));

function headerOnly(header: Buffer): Returned {
  const lines = header.toString("latin1").replace(/\r\n|\r|\n/g, "\r\n");
  return { content: Buffer.from(lines, "latin1"), isWhole: false };
}
