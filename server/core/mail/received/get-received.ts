import { and, eq } from "drizzle-orm";

import { receivedAttachments, receivedContents, receivedEmails } from "#drizzle/schema/index.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/readers.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { embedImages } from "./internal/embed-images.ts";
import { isListed, type ListedReceived, listFiles, type ReceivedFile } from "./list-received.ts";

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
