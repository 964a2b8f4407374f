import type { ImapFlow } from "imapflow";

import type { AppendedMessage } from "#server/gateways/dovecot-imap.ts";

/** A small message with a Message-ID of its own. */
export function aMessage(
  number: number,
  {
    flags = [],
    bytes = 500,
    headers = "",
  }: { flags?: string[]; bytes?: number; headers?: string } = {},
): AppendedMessage {
  const text = `Message ${number}. `.repeat(Math.ceil(bytes / 14)).replaceAll(/(.{70})/g, "$1\r\n");
  const id = headers === "" ? `Message-ID: <${number}@source.example>\r\n` : headers;
  return {
    flags,
    internalDate: new Date(Date.UTC(2020, 0, 1) + number * 61_000),
    content: Buffer.from(
      `${id}From: bob@source.example\r\nTo: ann@source.example\r\nSubject: Message ${number}\r\n\r\n${text}`,
    ),
  };
}

/** Each message of a folder in the order of its UIDs: Message-ID, flags and time of arrival. */
export async function messagesIn(client: ImapFlow, folder: string): Promise<string[]> {
  const { exists } = await client.mailboxOpen(folder, { readOnly: true });
  if (exists === 0) return [];
  const query = { uid: true, flags: true, internalDate: true, headers: ["message-id"] };
  const messages = await client.fetchAll("1:*", query);
  return messages
    .toSorted((a, b) => a.uid - b.uid)
    .map(({ flags, internalDate, headers }) => {
      const kept = [...(flags ?? [])].filter((flag) => flag !== "\\Recent").toSorted();
      const id = headers?.toString().replaceAll(/\s+|^message-id:/gi, "") ?? "";
      return `${id} ${kept.join(" ")} ${new Date(internalDate!).toISOString()}`;
    });
}
