import { and, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";

import {
  receivedAttachments,
  receivedContents,
  type ReceivedEmail,
  receivedEmails,
} from "#drizzle/schema/index.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { attachmentId } from "#server/core/sending/emails/attachments.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { contentIdForms } from "#server/core/shared/mime/content-references.ts";
import { toFileName } from "#server/core/shared/mime/parameters.ts";
import {
  byTime,
  type CountedPage,
  type DirectedPageRequest,
  type Direction,
  pageSorted,
} from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { storableText } from "#server/core/shared/text.ts";
import { deleteInBatches, isOlderThan } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Orders emails by the time of parsing, when they enter the list: otherwise an email whose parsing is retried would appear
 * behind cursors that clients have already passed.
 */
const byEntry = (direction?: Direction) =>
  byTime({ createdAt: receivedEmails.parsedAt }, direction);

/** A file of a received email, without its content. */
export type ReceivedFile = {
  id: string;
  /** In the message, from 0. */
  position: number;
  filename: string | null;
  contentType: string;
  /** Null if the message doesn't say. */
  isInline: boolean | null;
  contentId: string | null;
  /** Octets. */
  size: number;
};

/** The `content_disposition` of a file. */
export const contentDisposition = ({ isInline }: Pick<ReceivedFile, "isInline">) =>
  isInline === null ? null : isInline ? ("inline" as const) : ("attachment" as const);

export type ListedReceived = ReceivedEmail & { files: ReceivedFile[] };

/**
 * A page of the emails that the company's inbound addresses received, newest first unless the page says otherwise.
 *
 * @param search substring of sender, recipients or subject, case-insensitive; null for all
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listReceived(
  ctx: CompanyScope,
  page: DirectedPageRequest,
  search: string | null = null,
): Promise<CountedPage<ListedReceived>> {
  const order = byEntry(page.direction);
  const parts = { inList: isListed(ctx), fits: contains(search) };
  const list = pageSorted(ctx.db, receivedEmails, order, parts, page);
  const shown = await list.read(ctx.db.select().from(receivedEmails));
  const files = await listFiles(
    ctx,
    shown.rows.map(({ id }) => id),
  );
  return { ...shown, rows: shown.rows.map((row) => ({ ...row, files: files.get(row.id) ?? [] })) };
}

/** Emails of the company that are parsed. */
const isListed = ({ companyId }: CompanyScope): SQL =>
  and(eq(receivedEmails.companyId, companyId), isNotNull(receivedEmails.parsedAt))!;

/** Joins the fields with line breaks, so that a search doesn't match across two of them. */
function contains(search: string | null): SQL | undefined {
  if (search === null) return undefined;
  const { headerFrom, subject, receivedFor } = receivedEmails;
  const all = sql`concat_ws(chr(10), ${headerFrom}, ${subject}, array_to_string(${receivedFor}, chr(10)))`;
  return sql`strpos(lower(${all}), lower(${storableText(search)})) > 0`;
}

/** The files of received emails that the caller may see, in message order, by email. */
async function listFiles(
  { db }: Pick<CompanyScope, "db">,
  emailIds: string[],
): Promise<Map<string, ReceivedFile[]>> {
  if (emailIds.length === 0) return new Map();
  const { emailId, position, filename, contentType, isInline, contentId, content } =
    receivedAttachments;
  const size = sql<number>`octet_length(${content})`;
  const rows = await db
    .select({ emailId, position, filename, contentType, isInline, contentId, size })
    .from(receivedAttachments)
    .where(inArray(emailId, emailIds))
    .orderBy(emailId, position);
  const files = rows.map(({ emailId, ...file }) => ({
    emailId,
    file: {
      id: attachmentId(emailId, file.position),
      ...file,
      filename: file.filename && toFileName(file.filename),
    },
  }));
  const byEmail = Map.groupBy(files, ({ emailId }) => emailId);
  return new Map([...byEmail].map(([id, all]) => [id, all.map(({ file }) => file)]));
}

export type ReceivedBody = {
  headers: Record<string, string>;
  text: string | null;
  html: string | null;
};

const receivedNotFound = () => new Refusal("not_found", "Received email not found");

const isOne = (ctx: CompanyScope, id: string) => and(eq(receivedEmails.id, id), isListed(ctx));

/**
 * An email that the company received.
 *
 * @param options.embedsImages whether inline images are `data:` URLs in the HTML, instead of `cid:` references
 * @throws Refusal `not_found`; `invalid_permission` as `requireMayOpen`, as the other functions here
 */
export async function getReceived(
  ctx: Context,
  id: string,
  { embedsImages }: { embedsImages: boolean },
): Promise<ListedReceived & ReceivedBody> {
  const { headers, text, html } = receivedContents;
  const [found] = await ctx.db
    .select({ email: receivedEmails, body: { headers, text, html } })
    .from(receivedEmails)
    .innerJoin(receivedContents, eq(receivedContents.emailId, receivedEmails.id))
    .where(isOne(ctx, id));
  if (!found) throw receivedNotFound();
  const { email, body } = found;
  await requireMayOpen(ctx, email.receivedFor);
  const files = (await listFiles(ctx, [id])).get(id) ?? [];
  if (!embedsImages || body.html === null) return { ...email, ...body, files };
  return { ...email, ...body, files, html: await embedImages(ctx, { id, html: body.html, files }) };
}

/** The files of an email that the company received, in message order. @throws Refusal `not_found` */
export async function listReceivedFiles(ctx: Context, id: string): Promise<ReceivedFile[]> {
  const [found] = await ctx.db
    .select({ receivedFor: receivedEmails.receivedFor })
    .from(receivedEmails)
    .where(isOne(ctx, id));
  if (!found) throw receivedNotFound();
  await requireMayOpen(ctx, found.receivedFor);
  return (await listFiles(ctx, [id])).get(id) ?? [];
}

/** The message of a received email, as it arrived, with our trace fields. @throws Refusal `not_found` */
export async function getReceivedSource(ctx: Context, id: string): Promise<Buffer> {
  const [found] = await ctx.db
    .select({ content: receivedContents.content, receivedFor: receivedEmails.receivedFor })
    .from(receivedContents)
    .innerJoin(receivedEmails, eq(receivedEmails.id, receivedContents.emailId))
    .where(isOne(ctx, id));
  if (!found) throw receivedNotFound();
  await requireMayOpen(ctx, found.receivedFor);
  return found.content;
}

/** A file of a received email. @throws Refusal `not_found` */
export async function getReceivedFile(
  ctx: Context,
  id: string,
  position: number,
): Promise<{ filename: string | null; content: Buffer }> {
  const { filename, content } = receivedAttachments;
  const [found] = await ctx.db
    .select({ filename, content, receivedFor: receivedEmails.receivedFor })
    .from(receivedAttachments)
    .innerJoin(receivedEmails, eq(receivedEmails.id, receivedAttachments.emailId))
    .where(and(isOne(ctx, id), eq(receivedAttachments.position, position)));
  if (!found) throw new Refusal("not_found", "Attachment not found");
  await requireMayOpen(ctx, found.receivedFor);
  return { filename: found.filename, content: found.content };
}

// Small, because a message can have tens of megabytes.
const BATCH = 50;

/** Deletes emails that were received more than `days` ago. @returns the number of emails deleted */
export function deleteOldReceived(db: Db, days: number): Promise<number> {
  return deleteInBatches(db, receivedEmails, {
    where: isOlderThan(receivedEmails.createdAt, days),
    oldestFirst: receivedEmails.createdAt,
    size: BATCH,
  });
}

/** How many `deleteOldReceived` would delete. */
export const countOldReceived = (db: Db, days: number): Promise<number> =>
  db.$count(receivedEmails, isOlderThan(receivedEmails.createdAt, days));

/** In all, so that an answer isn't much larger than its email; further images stay `cid:` references. */
const EMBEDDED_BYTES_MAX = 5 * 1024 * 1024;

/** An image that many references repeat would multiply. */
const REFERENCES_MAX = 50;

/** The types of images that browsers show, by the names that programs give them. */
const IMAGE_TYPES = new Map([
  ...["image/png", "image/jpeg", "image/gif", "image/webp"].map((type) => [type, type] as const),
  ["image/jpg", "image/jpeg"] as const,
  ["image/pjpeg", "image/jpeg"] as const,
  ["image/x-png", "image/png"] as const,
]);

const REFERENCE = /cid:([^\s"'<>]{1,400})/gi;

/** Replaces references to inline images (RFC 2392) by `data:` URLs. */
async function embedImages(
  { db }: Pick<CompanyScope, "db">,
  { id, html, files }: { id: string; html: string; files: ReceivedFile[] },
): Promise<string> {
  const images = files.filter(
    ({ contentType, contentId }) => contentId !== null && IMAGE_TYPES.has(contentType),
  );
  const byContentId = new Map(images.map((file) => [file.contentId!, file]));
  const places = new Map<string, ReceivedFile>();
  let [bytes, references] = [0, 0];
  for (const [, name] of html.matchAll(REFERENCE)) {
    const [, file] = findImage(name!, byContentId) ?? [];
    if (!file || references >= REFERENCES_MAX || bytes + file.size > EMBEDDED_BYTES_MAX) continue;
    references += 1;
    bytes += file.size;
    places.set(name!, file);
  }
  if (places.size === 0) return html;
  const contents = await loadImages(db, id, [...places.values()]);
  let left = references;
  return html.replace(REFERENCE, (whole, name: string) => {
    const [length = 0, file] = places.has(name) ? (findImage(name, byContentId) ?? []) : [];
    const content = file && contents.get(file.position);
    if (!content || left-- <= 0) return whole;
    return `data:${IMAGE_TYPES.get(file.contentType)};base64,${content}${name.slice(length)}`;
  });
}

async function loadImages(db: CompanyScope["db"], id: string, files: ReceivedFile[]) {
  const { emailId, position, content } = receivedAttachments;
  const positions = [...new Set(files.map((file) => file.position))];
  const rows = await db
    .select({ position, content })
    .from(receivedAttachments)
    .where(and(eq(emailId, id), inArray(position, positions)));
  return new Map(rows.map((row) => [row.position, row.content.toString("base64")]));
}

/** Characters that can end a reference, such as that of `url()`, but also be in it. */
const ENDS = /[);,&\\]/g;

const ENDS_MAX = 10;

/** The image that a reference begins with, and the length of its content ID there. */
function findImage(
  reference: string,
  byContentId: Map<string, ReceivedFile>,
): [length: number, file: ReceivedFile] | null {
  const ends = [...reference.matchAll(ENDS)].slice(0, ENDS_MAX).map(({ index }) => index);
  for (const length of [reference.length, ...ends.toReversed()])
    for (const form of contentIdForms(reference.slice(0, length))) {
      const file = byContentId.get(form);
      if (file) return [length, file];
    }
  return null;
}
