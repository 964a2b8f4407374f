import { ParserThread } from "#server/core/shared/parser-thread.ts";
import { LARGE_BODY_BYTES } from "#server/core/platform/limits/large-bodies.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { programFile } from "#server/processes/program-file.ts";

import type { ArrivingRequest } from "./api-request.ts";
import type { ParsedBody } from "./body-worker.ts";
import { parseBytes } from "./parse-bytes.ts";

const KB = 1024;
const MB = 1024 * KB;

/** Largest request bodies, in bytes. */
export const BODY_LIMITS = {
  /** The server-wide limit. The error response has no JSON body. */
  sending: 30 * MB,
  general: 1 * MB,
  directory: 64 * KB,
} as const;

export type BodyLimit = keyof typeof BODY_LIMITS;

/** "64 KB", "1 MB" */
export function formatBodyLimit(limit: BodyLimit): string {
  const bytes = BODY_LIMITS[limit];
  return bytes < MB ? `${bytes / KB} KB` : `${bytes / MB} MB`;
}

/** A body over the server-wide 30 MB, answered with a 413 without a body. */
export class BodyOverServerLimit extends Error {
  override name = "BodyOverServerLimit";
}

/**
 * Reads the request body. On an error the rest stays in the stream.
 *
 * @param large `begin` is awaited before more than LARGE_BODY_BYTES are read; from then on `take` is called
 *   with the size of each chunk
 * @throws Refusal `unsupported_encoding`; `payload_too_large`; `request_timeout` if the client disconnects
 * @throws BodyOverServerLimit over 30 MB, for endpoints with the `sending` limit
 */
export async function readBody(
  { headers, stream }: Pick<ArrivingRequest, "headers" | "stream">,
  limit: BodyLimit,
  large: { begin: () => Promise<void>; take: (bytes: number) => void },
): Promise<Buffer> {
  requireUncompressed(headers["content-encoding"]);
  const announced = Number(headers["content-length"] ?? 0);
  if (announced > BODY_LIMITS[limit]) throw bodyTooLargeError(limit);
  let isLarge = announced > LARGE_BODY_BYTES;
  if (isLarge) await large.begin();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readChunks(stream)) {
    size += chunk.length;
    if (size > BODY_LIMITS[limit]) throw bodyTooLargeError(limit);
    if (!isLarge && size > LARGE_BODY_BYTES) {
      isLarge = true;
      await large.begin();
    }
    if (isLarge) large.take(chunk.length);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

async function* readChunks(stream: ArrivingRequest["stream"]): AsyncGenerator<Buffer> {
  try {
    // Keep the connection open: an error response may still go out on it.
    yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw new Refusal("request_timeout", "The request body is incomplete. Send the request again");
  }
}

function bodyTooLargeError(limit: BodyLimit): Error {
  if (limit === "sending") return new BodyOverServerLimit();
  return new Refusal("payload_too_large", `The request body exceeds ${formatBodyLimit(limit)}`);
}

function requireUncompressed(encoding: string | undefined): void {
  if (encoding === undefined || /^\s*(?:identity)?\s*$/i.test(encoding)) return;
  throw new Refusal(
    "unsupported_encoding",
    "Compressed request bodies are not supported. Send the body without Content-Encoding",
  );
}

/** Larger bodies would block the event loop for milliseconds. */
const THREAD_BYTES_MIN = 256 * 1024;

const thread = new ParserThread<ParsedBody>(programFile("server/http/body-worker.ts"), {
  timeoutMs: 20_000,
  onExceeded: () => ({ problem: "The body takes too much time or memory to parse" }),
});

/**
 * Parses a body as JSON, like `parseBytes`. In a large body, the `content` and `data` of files given as lists of bytes are
 * Uint8Arrays.
 *
 * @throws Refusal like `parseBytes`, and if parsing takes too much time or memory
 */
export async function parseBody(bytes: Buffer): Promise<unknown> {
  if (bytes.length <= THREAD_BYTES_MIN) return parseBytes(bytes);
  const parsed = await thread.parse(bytes);
  if ("problem" in parsed) throw new Refusal("invalid", parsed.problem);
  return parsed.value;
}
