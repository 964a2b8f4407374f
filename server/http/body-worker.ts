import { parseInThread } from "#server/core/shared/parser-thread.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { readByteList } from "#server/universal/parse-json.ts";

import { parseBytes } from "./parse-bytes.ts";

/** The value, or the message of the error. */
export type ParsedBody = { value: unknown } | { problem: string };

/** Longer lists of numbers are files, or invalid. */
const NUMBERS_MAX = 200_000;

parseInThread(readBody);

function readBody(bytes: Uint8Array): ParsedBody {
  try {
    const body = { value: parseBytes(bytes) };
    packFiles(body);
    return body;
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    throw error;
  }
}

/** Replaces files given as lists of bytes by the bytes, because the event loop would receive each number on its own. */
function packFiles(value: object): void {
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    const isFile = (name === "content" || name === "data") && Array.isArray(inner);
    const bytes = isFile ? readByteList(inner) : null;
    if (bytes) Object.assign(value, { [name]: bytes });
    else if (Array.isArray(inner) && inner.length > NUMBERS_MAX)
      throw new Refusal("invalid", `The body has a list of more than ${NUMBERS_MAX} numbers`);
    else if (typeof inner === "object" && inner !== null) packFiles(inner);
  }
}
