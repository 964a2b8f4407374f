import type { Message } from "#server/core/shared/mime/message.ts";

import type { Post } from "./post.ts";

const FIELD = "X-Posthouse-Post";
const VALUE = /^author=([0-9a-f-]{36}|none); verified=(yes|no)$/;

/** Prepends a field to the message that stores how its author was authenticated. */
export function encodePendingPost({
  message,
  author,
  isFromVerified,
}: Pick<Post, "message" | "author" | "isFromVerified">): Message {
  const value = `author=${author?.companyId ?? "none"}; verified=${isFromVerified ? "yes" : "no"}`;
  return message.withFields(`${FIELD}: ${value}\r\n`);
}

/** Whether `encodePendingPost` made it. Anyone can write such a message, so only ask about our own. */
export const isPendingPost = ({ raw }: Message): boolean =>
  raw.subarray(0, FIELD.length + 1).toString("latin1") === `${FIELD}:`;

/** Restores the post. Only trusts the topmost field; one further down came with the message. */
export function decodePendingPost({
  message: held,
  ...post
}: Pick<Post, "id" | "sender" | "message" | "clientAddress">): Post {
  const [top] = held.fields;
  const isOurs = top?.start === 0 && top.name === FIELD.toLowerCase();
  const [, author, verified] = (isOurs && VALUE.exec(held.value(top.name) ?? "")) || [];
  const message = isOurs ? held.without([top]) : held;
  return {
    ...post,
    repeatsForMs: null,
    message,
    from: message.header.from,
    author: author === undefined || author === "none" ? null : { companyId: author },
    isFromVerified: verified === "yes",
  };
}
