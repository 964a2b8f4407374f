import { asc, eq } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { messageContents, messageRecipients, messages } from "#drizzle/schema/index.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import type { Post } from "#server/core/mail/group-posts/post.ts";
import { db } from "#server/db/pool.ts";

type Given = Partial<Omit<Post, "message">> & {
  /** Header fields before the usual ones, without CRLF. */
  fields?: string[];
  body?: string;
  /** Replaces the whole message. */
  content?: Buffer | string;
};

/** A message from outside with a verified author, unless overridden. */
export function aPost({ fields = [], body = "Hello\r\n", content, ...given }: Given = {}): Post {
  const from = given.from === undefined ? "ann@outside.example" : given.from;
  const header = [
    ...fields,
    ...(from === null ? [] : [`From: Ann <${from}>`]),
    "To: team@shop.example",
    "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=",
    "Message-ID: <1@outside.example>",
  ];
  const text = content ?? `${header.join("\r\n")}\r\n\r\n${body}`;
  return {
    id: uuidv7(),
    repeatsForMs: null,
    sender: from ?? "ann@outside.example",
    author: null,
    isFromVerified: true,
    clientAddress: "192.0.2.1",
    ...given,
    from,
    message: new Message(Buffer.isBuffer(text) ? text : Buffer.from(text, "latin1")),
  };
}

/** Returns a group's copies with their content and recipients, local ones first. */
export async function copiesOf(group: string) {
  const rows = await db()
    .select({ message: messages, content: messageContents.content })
    .from(messages)
    .innerJoin(messageContents, eq(messageContents.messageId, messages.id))
    .where(eq(messages.groupAddress, group))
    .orderBy(asc(messages.createdAt));
  return Promise.all(
    rows.map(async ({ message, content }) => ({
      ...message,
      content,
      text: content.toString("latin1"),
      recipients: (
        await db()
          .select()
          .from(messageRecipients)
          .where(eq(messageRecipients.messageId, message.id))
      )
        .map(({ recipient }) => recipient)
        .sort(),
    })),
  );
}

/** All recipients of a group's copies, with repetitions. */
export const reached = async (group: string) =>
  (await copiesOf(group)).flatMap(({ recipients }) => recipients).sort();
