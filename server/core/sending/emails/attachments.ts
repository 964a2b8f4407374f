import { and, asc, eq, sql } from "drizzle-orm";
import { v5 } from "uuid";

import { emailAttachments, emails } from "#drizzle/schema/index.ts";
import type { StoredAttachment } from "#server/core/sending/outbox/queue-rows.ts";
import type { Context } from "#server/core/shared/context.ts";
import { contentReferences } from "#server/core/shared/mime/content-references.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { getEmail, isEmail } from "./emails.ts";

/** An attachment without its content. */
export type ListedAttachment = Awaited<ReturnType<typeof listAttachments>>[number];

/** Lists the attachments of an email of the company in message order, while they are retained. */
export const listAttachments = (ctx: Context, emailId: string) =>
  ctx.db
    .select({
      /** Place in the message, from 0. */
      position: emailAttachments.position,
      filename: emailAttachments.filename,
      contentType: emailAttachments.contentType,
      contentId: emailAttachments.contentId,
      /** Octets. */
      size: sql<number>`octet_length(${emailAttachments.content})`,
    })
    .from(emailAttachments)
    .innerJoin(emails, eq(emails.id, emailAttachments.emailId))
    .where(isEmail(ctx, emailId))
    .orderBy(asc(emailAttachments.position));

/** An attachment with its id in the API. */
export type IdentifiedAttachment = ListedAttachment & {
  id: string;
  /** Whether the HTML refers to it by its content ID. */
  isShown: boolean;
};

/**
 * Lists the attachments of an email of the company in message order.
 *
 * @throws Refusal `not_found` for an unknown email, and once its content is deleted
 */
export async function requireAttachments(
  ctx: Context,
  emailId: string,
): Promise<IdentifiedAttachment[]> {
  const { body } = await getEmail(ctx, emailId);
  const files = await listAttachments(ctx, emailId);
  if (!body)
    throw new Refusal(
      "not_found",
      "This email's attachments are no longer stored. Content is deleted 3 days after sending",
    );
  const isReferenced = contentReferences(body.html);
  return files.map((file) => ({
    ...file,
    id: attachmentId(emailId, file.position),
    isShown: isReferenced(file.contentId),
  }));
}

/**
 * Returns an attachment of an email of the company.
 *
 * @param position place in the message, from 0
 * @throws Refusal `not_found`, also after its retention period
 */
export async function getAttachment(
  ctx: Context,
  emailId: string,
  position: number,
): Promise<StoredAttachment> {
  const [file] = await ctx.db
    .select({
      filename: emailAttachments.filename,
      contentType: emailAttachments.contentType,
      contentId: emailAttachments.contentId,
      content: emailAttachments.content,
    })
    .from(emailAttachments)
    .innerJoin(emails, eq(emails.id, emailAttachments.emailId))
    .where(and(isEmail(ctx, emailId), eq(emailAttachments.position, position)));
  if (!file) throw new Refusal("not_found", "Attachment not found");
  return file;
}

/** A media type with parameters, such as `text/calendar; method=REQUEST`. */
export type MediaType = {
  /** `type/subtype`, lowercase. */
  name: string;
  /** As written, including quotes. */
  parameters: { name: string; value: string }[];
};

/** restricted-name of RFC 6838 section 4.2. */
const RESTRICTED_NAME = "[a-z0-9][a-z0-9!#$&^_.+-]{0,126}";

/** token of RFC 2045 section 5.1, without the characters special to RFC 2231. */
const ATTRIBUTE = "[a-z0-9!#$&+.^_`{|}~-]+";

const VALUE = `(?:[a-z0-9!#$%&'*+.^_\`{|}~-]+|"(?:[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*")`;
const PARAMETER = `[ \\t]*;[ \\t]*(${ATTRIBUTE})=(${VALUE})`;

const MEDIA_TYPE = new RegExp(
  `^(${RESTRICTED_NAME}/${RESTRICTED_NAME})((?:${PARAMETER})*)[ \\t]*;?$`,
  "i",
);

const PARAMETERS = new RegExp(PARAMETER, "gi");

/** Parses a Content-Type value (RFC 2045 section 5.1); null if invalid. The result is printable ASCII. */
export function parseMediaType(text: string): MediaType | null {
  const [, name, parameters] = MEDIA_TYPE.exec(text.trim()) ?? [];
  if (name === undefined || parameters === undefined) return null;
  return {
    name: name.toLowerCase(),
    parameters: [...parameters.matchAll(PARAMETERS)].map(([, attribute, value]) => ({
      name: attribute!,
      value: value!,
    })),
  };
}

/** The id of an attachment in the API: derived from its email and its position there, from 0. */
export const attachmentId = (emailId: string, position: number): string =>
  v5(String(position), emailId);
