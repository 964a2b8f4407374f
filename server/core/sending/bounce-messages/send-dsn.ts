import { sql } from "drizzle-orm";

import { acceptMessage } from "#server/core/sending/messages/accept-message.ts";
import { loadContentStart, loadContent } from "#server/core/sending/messages/load-content.ts";
import { headerEnd } from "#server/core/shared/mime/header-fields.ts";
import type { Db } from "#server/db/client.ts";

import { composeDsn, type Dsn, dsnHeader, type ReturnedContent } from "./compose-dsn.ts";
import type { OriginalMessage } from "./original-message.ts";
import type { RecipientResult } from "./recipient-result.ts";

/**
 * Larger messages are returned as header only: their sender has a copy, and the bounce message must arrive.
 */
const WHOLE_OCTETS_MAX = 256 * 1024;

const HEADER_OCTETS_MAX = 64 * 1024;

/** Recipients listed in a bounce message. */
const NAMED_MAX = 100;

/**
 * Queues a bounce message and links it to all its recipients. It lists the first 100.
 *
 * @param recipients of one message or distribution; at least one, all with the same result
 * @param to bare addresses; if empty, nothing is sent
 * @returns whether a bounce message was sent
 */
export async function sendDsn(
  db: Db,
  hostname: string,
  { recipients, to }: Pick<Dsn, "recipients" | "to">,
): Promise<boolean> {
  const [{ message, result }] = recipients as [RecipientResult];
  if (to.length === 0) return false;
  const returned = await loadReturned(db, message, result);
  const named = recipients.slice(0, NAMED_MAX);
  const dsn = { hostname, message, recipients: named, to, returned, now: new Date() };
  const id = await queueDsn(db, dsn);
  if (result === "bounced") await linkDsn(db, id, recipients);
  return true;
}

/**
 * Queues a bounce message without a return path.
 *
 * @returns its id
 */
export async function queueDsn(db: Db, dsn: Dsn): Promise<string> {
  const header = dsnHeader(dsn);
  const { id } = await acceptMessage(db, {
    ...{ companyId: dsn.message.companyId, origin: "report", mailbox: null, groupAddress: null },
    ...{ sender: "", isSenderTold: false, signingDomainId: null, clientAddress: null },
    content: composeDsn(dsn, header),
    recipients: dsn.to.map((address) => ({ address, notify: ["never"] })),
    headerFrom: header.from,
    subject: header.subject,
    messageId: header.messageId,
  });
  return id;
}

async function linkDsn(db: Db, reportId: string, recipients: RecipientResult[]): Promise<void> {
  const ids = recipients.map(({ rowId }) => rowId);
  await db.execute(sql`
    update message_recipients set report_id = ${reportId}::uuid
    where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))`);
}

/**
 * Loads the part of the message to return: all of it if it failed, is small and its sender didn't opt out
 * (RET, RFC 3461, 4.3); otherwise the header. Failed forwards and posts are always returned whole, since
 * there may be no other copy. Null if the message has been deleted.
 */
async function loadReturned(
  db: Db,
  { id, origin, size, returnFull }: OriginalMessage,
  result: RecipientResult["result"],
): Promise<ReturnedContent | null> {
  if ((origin === "forward" || origin === "group") && result === "bounced") {
    const content = await loadContent(db, id);
    return content && { content: withPlainLines(content), isWhole: true };
  }
  const beginning = await loadContentStart(db, id, WHOLE_OCTETS_MAX);
  if (!beginning) return null;
  const isWhole =
    returnFull && result === "bounced" && size <= WHOLE_OCTETS_MAX && hasPlainLines(beginning);
  if (isWhole) return { content: beginning, isWhole };
  return returnedHeader(beginning);
}

/** The first 64 KB of the message's header, with CRLF line ends. */
export function returnedHeader(content: Buffer): ReturnedContent {
  const header = content.subarray(0, headerEnd(content)).subarray(0, HEADER_OCTETS_MAX);
  return { content: withPlainLines(header), isWhole: false };
}

/** The carrier rejects bare CR or LF, so the bounce message would be lost. */
const hasPlainLines = (content: Buffer) => !/\r(?!\n)|(?<!\r)\n/.test(content.toString("latin1"));

function withPlainLines(content: Buffer): Buffer {
  if (hasPlainLines(content)) return content;
  const lines = content.toString("latin1").replace(/\r\n|\r|\n/g, "\r\n");
  return Buffer.from(lines, "latin1");
}
