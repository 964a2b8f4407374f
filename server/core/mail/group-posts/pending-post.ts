import { fieldValue, headerEnd, headerFields } from "#server/core/shared/mime/header-fields.ts";
import { readHeader } from "#server/core/shared/mime/read-header.ts";

import type { Post } from "./post.ts";
import { withoutFields } from "./internal/write-copy.ts";

const FIELD = "X-Posthouse-Post";
const VALUE = /^author=([0-9a-f-]{36}|none); verified=(yes|no)$/;

/** Prepends a field to the message that stores how its author was authenticated. */
export function encodePendingPost({ content, author, isFromVerified }: Post): Buffer {
  const value = `author=${author?.companyId ?? "none"}; verified=${isFromVerified ? "yes" : "no"}`;
  return Buffer.concat([Buffer.from(`${FIELD}: ${value}\r\n`), content]);
}

/** Whether `encodePendingPost` made it. Anyone can write such a message, so only ask about our own. */
export const isPendingPost = (content: Buffer): boolean =>
  content.subarray(0, FIELD.length + 1).toString("latin1") === `${FIELD}:`;

/** Restores the post. Only trusts the topmost field; one further down came with the message. */
export function decodePendingPost(held: {
  id: string;
  sender: string;
  content: Buffer;
  clientAddress: string | null;
}): Post {
  const [top] = headerEnd(held.content) > 0 ? headerFields(held.content) : [];
  const isOurs = top?.start === 0 && top.name === FIELD.toLowerCase();
  const [, author, verified] = (isOurs && VALUE.exec(fieldValue(held.content, top))) || [];
  const content = isOurs ? withoutFields(held.content, [top]) : held.content;
  return {
    ...held,
    repeatsForMs: null,
    content,
    from: readHeader(content).from,
    author: author === undefined || author === "none" ? null : { companyId: author },
    isFromVerified: verified === "yes",
  };
}
