import { getReceivedFile, getReceivedSource } from "#server/core/mail/received/received-emails.ts";
import { getAttachment } from "#server/core/sending/emails/attachments.ts";
import { createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { type DownloadFile, readDownloadToken } from "#server/core/shared/secrets/link-token.ts";
import { db } from "#server/db/pool.ts";
import { Download } from "#server/http/downloads.ts";

import type { Exchange, WebReply } from "./exchange.ts";

/** A stranger's file must not run at the console's origin. */
const SAFE_HEADERS = {
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
};

const EXPIRED = "This link has expired. Request a new one from the API\n";
const GONE = "This file is no longer stored\n";

/** Serves the files that the API links to (`download_url`). */
export async function downloadFile(_: Exchange, token: string): Promise<WebReply> {
  const file = readDownloadToken(token, new Date());
  if (!file) return plainText(404, "Not found\n");
  if (file.isExpired) return plainText(410, EXPIRED);
  const loaded = await loadFile(file);
  return loaded ? toReply(loaded) : plainText(410, GONE);
}

const plainText = (status: number, body: string): WebReply => ({
  status,
  type: "text/plain",
  body,
  headers: SAFE_HEADERS,
});

type LoadedFile = { filename: string; content: Buffer };

/** Null once it is deleted. */
async function loadFile({
  kind,
  companyId,
  emailId,
  position,
}: DownloadFile): Promise<LoadedFile | null> {
  const ctx = createContext(db(), companyId, { kind: "system", task: "download" });
  try {
    if (kind === "received_message")
      return { filename: `${emailId}.eml`, content: await getReceivedSource(ctx, emailId) };
    const load = kind === "sent_attachment" ? getAttachment : getReceivedFile;
    const { filename, content } = await load(ctx, emailId, position);
    return { filename: filename ?? `attachment-${position + 1}`, content };
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

function toReply({ filename, content }: LoadedFile): WebReply {
  // The generic type keeps browsers from opening a stranger's file.
  const type = "application/octet-stream";
  const headers = new Download(filename, type, content).headers(new Headers(SAFE_HEADERS));
  return { status: 200, type, body: content, headers: Object.fromEntries(headers) };
}
