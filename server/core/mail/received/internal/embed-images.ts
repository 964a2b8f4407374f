import { and, eq, inArray } from "drizzle-orm";

import { receivedAttachments } from "#drizzle/schema/index.ts";
import type { ReceivedFile } from "#server/core/mail/received/list-received.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

/** In all, so that an answer isn't much larger than its email; further images stay `cid:` references. */
const EMBEDDED_BYTES_MAX = 5 * 1024 * 1024;
/** An image that many references repeat would multiply. */
const REFERENCES_MAX = 50;

const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const REFERENCE = /cid:([^\s"'<>()]{1,255})/gi;

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
    const file = byContentId.get(decode(name!));
    if (!file || references >= REFERENCES_MAX || bytes + file.size > EMBEDDED_BYTES_MAX) continue;
    references += 1;
    bytes += file.size;
    places.set(name!, file);
  }
  if (places.size === 0) return html;
  const contents = await loadImages(db, id, [...places.values()]);
  let left = references;
  return html.replace(REFERENCE, (whole, name: string) => {
    const file = places.get(name);
    const content = file && contents.get(file.position);
    if (!content || left-- <= 0) return whole;
    return `data:${file.contentType};base64,${content}`;
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

/** References are percent-encoded. */
function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
