import type { IncomingMessage, ServerResponse } from "node:http";

import { getReceivedFile, getReceivedSource } from "#server/core/mail/received/get-received.ts";
import { getAttachment } from "#server/core/sending/emails/get-attachment.ts";
import { createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  DOWNLOAD_PATH,
  type DownloadFile,
  readDownloadToken,
} from "#server/core/shared/secrets/download-link.ts";
import { db } from "#server/db/pool.ts";
import { Download } from "#server/http/download.ts";

import { answerClient, takesMethod } from "./client-answer.ts";

/** A stranger's file must not run at the console's origin. */
const SAFE_HEADERS = {
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
};

const EXPIRED = "This link has expired. Request a new one from the API\n";
const GONE = "This file is no longer stored\n";

/** Serves the files that the API links to (`download_url`). Returns whether it handled the request. */
export function answerDownload(request: IncomingMessage, response: ServerResponse): boolean {
  const url = request.url ?? "";
  if (!url.startsWith(DOWNLOAD_PATH)) return false;
  if (!takesMethod(request, response, ["GET", "HEAD"])) return true;
  const token = url.slice(DOWNLOAD_PATH.length).split(/[?#]/, 1)[0]!;
  const file = readDownloadToken(token, new Date());
  answerClient(request, response, "a download", async () => {
    if (!file) return { status: 404, ...plainText("Not found\n") };
    if (file.isExpired) return { status: 410, ...plainText(EXPIRED) };
    const loaded = await loadFile(file);
    return loaded ? toContent(loaded) : { status: 410, ...plainText(GONE) };
  });
  return true;
}

const plainText = (body: string) => ({ type: "text/plain", body, headers: SAFE_HEADERS });

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

function toContent({ filename, content }: LoadedFile) {
  // The generic type keeps browsers from opening a stranger's file.
  const type = "application/octet-stream";
  const headers = new Download(filename, type, content).headers(new Headers(SAFE_HEADERS));
  return { status: 200, type, body: content, headers: Object.fromEntries(headers) };
}
