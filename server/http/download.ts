import { Readable } from "node:stream";

import { z } from "zod";

import { toFileName } from "#server/core/shared/mime/file-parameter.ts";

/** A file that an endpoint answers with instead of JSON. Text is streamed, so its size isn't limited. */
export class Download {
  readonly fileName: string;
  readonly contentType: string;
  readonly content: Buffer | Readable;

  /** @param content parts of a text, read as fast as the client takes them */
  constructor(fileName: string, contentType: string, content: Buffer | AsyncIterable<string>) {
    this.fileName = toFileName(fileName);
    this.contentType = contentType;
    this.content = Buffer.isBuffer(content)
      ? content
      : Readable.from(content, { objectMode: false });
  }

  /** Makes browsers save the file instead of opening it (RFC 6266); other characters than ASCII per RFC 8187. */
  headers(headers: Headers): Headers {
    const ascii = this.fileName.replace(/[^\x20-\x7e]|["\\%/]/g, "_");
    const encoded = encodeURIComponent(this.fileName.toWellFormed()).replace(
      /['()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
    headers.set("content-type", this.contentType);
    headers.set(
      "content-disposition",
      `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    );
    headers.set("cache-control", "no-store");
    headers.set("x-content-type-options", "nosniff");
    return headers;
  }
}

/**
 * A file that is written while it is sent. Its first part is read before the response begins, so that an error becomes
 * an error response.
 */
export async function streamDownload(
  fileName: string,
  contentType: string,
  parts: AsyncGenerator<string>,
): Promise<Download> {
  const first = await parts.next();
  async function* all() {
    if (first.done) return;
    yield first.value;
    yield* parts;
  }
  return new Download(fileName, contentType, all());
}

/** The response schema of an endpoint that answers with a file. */
export const DownloadSchema = z.instanceof(Download);
