import { LARGE_BODY_BYTES } from "#server/core/platform/limits/acquire-large-body-slot.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import type { ArrivingRequest } from "./api-request.ts";

const KB = 1024;
const MB = 1024 * KB;

/** Largest request bodies, in bytes. */
export const BODY_LIMITS = {
  /** Over it the answer has no JSON body, as from the server that cuts off such requests. */
  sending: 30 * MB,
  general: 1 * MB,
  directory: 64 * KB,
} as const;

export type BodyLimit = keyof typeof BODY_LIMITS;

/** JSON has one way to write NUL: this escape, whose backslash is not itself escaped. */
const NUL_ESCAPE = /(?<!\\)(?:\\\\)*\\u0000/;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** "64 KB", "1 MB" */
export function limitInWords(limit: BodyLimit): string {
  const bytes = BODY_LIMITS[limit];
  return bytes < MB ? `${bytes / KB} KB` : `${bytes / MB} MB`;
}

/** A body over the 30 MB that the whole server takes: answered with a bare 413. */
export class BodyOverServerLimit extends Error {
  override name = "BodyOverServerLimit";
}

/**
 * The bytes of the request's body. Where reading ends early, the rest is left in the stream.
 *
 * @param large `begin` is awaited before more than LARGE_BODY_BYTES are read; from then on `take` is called
 *   with the size of each chunk
 * @throws Refusal `unsupported_encoding`; `payload_too_large`; `request_timeout` when the client goes away
 * @throws BodyOverServerLimit over 30 MB, for an endpoint that takes as much
 */
export async function readBody(
  { headers, stream }: Pick<ArrivingRequest, "headers" | "stream">,
  limit: BodyLimit,
  large: { begin: () => Promise<void>; take: (bytes: number) => void },
): Promise<Buffer> {
  requireUncompressed(headers["content-encoding"]);
  const announced = Number(headers["content-length"] ?? 0);
  if (announced > BODY_LIMITS[limit]) throw tooLarge(limit);
  let isLarge = announced > LARGE_BODY_BYTES;
  if (isLarge) await large.begin();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(stream)) {
    size += chunk.length;
    if (size > BODY_LIMITS[limit]) throw tooLarge(limit);
    if (!isLarge && size > LARGE_BODY_BYTES) {
      isLarge = true;
      await large.begin();
    }
    if (isLarge) large.take(chunk.length);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

async function* chunksOf(stream: ArrivingRequest["stream"]): AsyncGenerator<Buffer> {
  try {
    // The answer to a body that is not wanted still goes out on this connection.
    yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw new Refusal("request_timeout", "The request did not arrive in full");
  }
}

/**
 * The JSON value in the bytes of a body.
 *
 * @throws Refusal `invalid` when it is not JSON in UTF-8 or holds a NUL
 */
export function parseJson(bytes: Buffer): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw new Refusal("invalid", "Invalid JSON body");
  }
  if (text.includes("\\u0000") && NUL_ESCAPE.test(text))
    throw new Refusal("invalid", "The body contains a NUL character");
  return value;
}

function tooLarge(limit: BodyLimit): Error {
  if (limit === "sending") return new BodyOverServerLimit();
  return new Refusal("payload_too_large", `The request body exceeds ${limitInWords(limit)}`);
}

function requireUncompressed(encoding: string | undefined): void {
  if (encoding === undefined || /^\s*(?:identity)?\s*$/i.test(encoding)) return;
  throw new Refusal(
    "unsupported_encoding",
    "Compressed request bodies are not supported. Send the body without Content-Encoding",
  );
}
