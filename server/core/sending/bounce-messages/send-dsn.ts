import { sql } from "drizzle-orm";

import {
  acceptMessage,
  loadContent,
  loadContentStart,
} from "#server/core/sending/messages/messages.ts";
import { readReversePath } from "#server/core/shared/addresses/parse-address.ts";
import { headerEnd } from "#server/core/shared/mime/header-fields.ts";
import type { Db } from "#server/db/client.ts";

import { composeDsn, type Dsn, dsnHeader, type ReturnedContent } from "./dsn.ts";
import type { OriginalMessage, RecipientResult } from "./recipient-result.ts";

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
    companyId: dsn.message.companyId,
    origin: "report",
    mailbox: null,
    groupAddress: null,
    sender: "",
    isSenderTold: false,
    signingDomainId: null,
    clientAddress: null,
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

/**
 * Sends a bounce message to the sender for each message and kind of result. They go out when the caller's
 * transaction commits; call `wakeMessages` after that.
 *
 * @param hostname the appliance's name
 * @param settled results for which `shouldNotifySender` is true
 * @returns the number of bounce messages
 */
export async function notifySenders(
  db: Db,
  hostname: string,
  settled: RecipientResult[],
): Promise<number> {
  let reports = 0;
  for (const recipients of groupByDsn(settled)) {
    await markDelays(db, recipients);
    if (await notifySender(db, hostname, recipients)) reports++;
  }
  return reports;
}

async function notifySender(
  db: Db,
  hostname: string,
  recipients: RecipientResult[],
): Promise<boolean> {
  const [{ message }] = recipients as [RecipientResult];
  const sender = readReversePath(bounceAddress(message));
  return sender ? sendDsn(db, hostname, { recipients, to: [sender] }) : false;
}

/** Bounces of mail that a member sent as a group go to the member, since groups discard them. */
const bounceAddress = ({ origin, groupAddress, mailbox, sender }: OriginalMessage): string =>
  origin === "submission" && groupAddress !== null ? (mailbox ?? "") : sender;

function groupByDsn(settled: RecipientResult[]): RecipientResult[][] {
  const groups = Map.groupBy(settled, ({ message, result }) => `${message.id} ${result}`);
  return [...groups.values()];
}

async function markDelays(db: Db, recipients: RecipientResult[]): Promise<void> {
  const ids = recipients.filter(({ result }) => result === "delayed").map(({ rowId }) => rowId);
  if (ids.length === 0) return;
  await db.execute(sql`
    update message_recipients set delay_told_at = clock_timestamp()
    where id = any(array(select value::bigint from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))`);
}

/** When senders are notified of a delay; once per recipient. */
export const DELAY_NOTICE_AFTER_SECONDS = 4 * 60 * 60;

const WORD = { delivered: "success", delayed: "delay", bounced: "failure" } as const;

/**
 * Whether to notify the sender: of failures unless opted out (NOTIFY, RFC 3461, 4.1), of delays only for
 * messages submitted here. Never about a bounce message, and never a sender who may be forged. A failed
 * forward always returns to its mailbox, which may not have kept a copy.
 */
export function shouldNotifySender(settled: RecipientResult): boolean {
  const { message, result } = settled;
  if (message.origin === "forward" && result === "bounced") return true;
  if (!message.isSenderTold || message.sender === "" || message.origin === "report") return false;
  return isRequested(settled);
}

function isRequested({ message, notify, result, ...settled }: RecipientResult): boolean {
  if (result === "delivered" && settled.delivery === "transferred") return false;
  if (result === "delayed" && (settled.isDelayReported || !isLate(settled))) return false;
  if (notify) return notify.includes(WORD[result]);
  return result === "bounced" || (result === "delayed" && message.origin === "submission");
}

const isLate = ({ waitedSeconds }: Pick<RecipientResult, "waitedSeconds">) =>
  waitedSeconds >= DELAY_NOTICE_AFTER_SECONDS;
