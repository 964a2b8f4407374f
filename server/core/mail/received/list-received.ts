import { and, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";

import { receivedAttachments, type ReceivedEmail, receivedEmails } from "#drizzle/schema/index.ts";
import { attachmentId } from "#server/core/sending/emails/attachment-id.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { toFileName } from "#server/core/shared/mime/file-parameter.ts";
import type { ListCounts } from "#server/core/shared/paging/count-rows.ts";
import {
  type DirectedPageRequest,
  type Direction,
  type Page,
  toPage,
} from "#server/core/shared/paging/page.ts";
import { byTime, countSorted, pageSorted } from "#server/core/shared/paging/sorted.ts";

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
): Promise<Page<ListedReceived>> {
  const order = byEntry(page.direction);
  const inList = and(isListed(ctx), contains(search));
  const list = pageSorted(ctx.db, receivedEmails, order, inList, page);
  const rows = await ctx.db
    .select()
    .from(receivedEmails)
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  const shown = toPage(rows, page);
  const files = await listFiles(
    ctx,
    shown.rows.map(({ id }) => id),
  );
  return { ...shown, rows: shown.rows.map((row) => ({ ...row, files: files.get(row.id) ?? [] })) };
}

/** @param first the first email of the page */
export const countReceived = (
  ctx: CompanyScope,
  search: string | null,
  first: ReceivedEmail | undefined,
  direction: Direction,
): Promise<ListCounts | null> =>
  countSorted(
    ctx.db,
    receivedEmails,
    byEntry(direction),
    { inList: isListed(ctx), fits: contains(search) },
    first,
  );

/** Emails of the company that are parsed. */
export const isListed = ({ companyId }: CompanyScope): SQL =>
  and(eq(receivedEmails.companyId, companyId), isNotNull(receivedEmails.parsedAt))!;

/** Joins the fields with line breaks, so that a search doesn't match across two of them. */
function contains(search: string | null): SQL | undefined {
  if (search === null) return undefined;
  const { headerFrom, subject, receivedFor } = receivedEmails;
  const all = sql`concat_ws(chr(10), ${headerFrom}, ${subject}, array_to_string(${receivedFor}, chr(10)))`;
  return sql`strpos(lower(${all}), lower(${search.replaceAll("\0", "")})) > 0`;
}

/** The files of received emails that the caller may see, in message order, by email. */
export async function listFiles(
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
      ...{ id: attachmentId(emailId, file.position), ...file },
      filename: file.filename && toFileName(file.filename),
    },
  }));
  const byEmail = Map.groupBy(files, ({ emailId }) => emailId);
  return new Map([...byEmail].map(([id, all]) => [id, all.map(({ file }) => file)]));
}
