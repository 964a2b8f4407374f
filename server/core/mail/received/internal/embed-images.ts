import { and, eq, inArray } from "drizzle-orm";

import { receivedAttachments } from "#drizzle/schema/index.ts";
import type { ReceivedFile } from "#server/core/mail/received/list-received.ts";
import { contentIdForms } from "#server/core/shared/mime/content-references.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

/** In all, so that an answer isn't much larger than its email; further images stay `cid:` references. */
const EMBEDDED_BYTES_MAX = 5 * 1024 * 1024;
/** An image that many references repeat would multiply. */
const REFERENCES_MAX = 50;

/** The types of images that browsers show, by the names that programs give them. */
const IMAGE_TYPES = new Map([
  ...["image/png", "image/jpeg", "image/gif", "image/webp"].map((type) => [type, type] as const),
  ...[["image/jpg", "image/jpeg"] as const, ["image/pjpeg", "image/jpeg"] as const],
  ["image/x-png", "image/png"] as const,
]);
const REFERENCE = /cid:([^\s"'<>]{1,400})/gi;

/** Replaces references to inline images (RFC 2392) by `data:` URLs. */
export async function embedImages(
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
