import { Refusal } from "#server/core/refusals.ts";

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
 * The JSON value in the request's body.
 *
 * @throws Refusal `payload_too_large`, or `invalid` when it is not JSON in UTF-8 or holds a NUL
 */
export async function readJsonBody(request: Request, limit: BodyLimit): Promise<unknown> {
  const text = await readText(request, limit);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal("invalid", "Invalid JSON body");
  }
  if (NUL_ESCAPE.test(text)) throw new Refusal("invalid", "The body contains a NUL character");
  return value;
}

async function readText(request: Request, limit: BodyLimit): Promise<string> {
  const maxBytes = BODY_LIMITS[limit];
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) tooLarge(limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (request.body) {
    for await (const chunk of request.body as ReadableStream<Uint8Array>) {
      size += chunk.byteLength;
      if (size > maxBytes) tooLarge(limit);
      chunks.push(chunk);
    }
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      chunks.length === 1 ? chunks[0] : Buffer.concat(chunks),
    );
  } catch {
    throw new Refusal("invalid", "Invalid JSON body");
  }
}

function tooLarge(limit: BodyLimit): never {
  if (limit === "sending") throw new BodyOverServerLimit();
  throw new Refusal("payload_too_large", `The request body exceeds ${limitInWords(limit)}`);
}
