import type { SMTPServerDataStream } from "smtp-server";

import type { SharedMemory } from "#server/core/platform/limits/shared-memory.ts";
import { SmtpReply } from "./smtp-reply.ts";

/** Overhead per chunk: a message may arrive byte by byte. */
const CHUNK_OVERHEAD_BYTES = 256;

export type MessageMemory = {
  memory: SharedMemory;
  /** Whose share of the memory it uses; null for no limit. */
  owner: string | null;
  /** Called with each chunk that arrives. */
  onChunk?: (bytes: number) => void;
};

/**
 * Reads a message and keeps it in memory while `work` runs. A message over the size limit, or one that does
 * not fit into the shared memory, is read to its end and discarded.
 *
 * @throws SmtpReply when it was discarded
 */
export async function collectMessage<Result>(
  stream: SMTPServerDataStream,
  { memory, owner, onChunk: onPiece }: MessageMemory,
  work: (message: Buffer) => Promise<Result>,
): Promise<Result> {
  let own = 0;
  let chunks: Buffer[] = [];
  let isStored = true;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      onPiece?.(chunk.length);
      const size = chunk.length + CHUNK_OVERHEAD_BYTES;
      if (isStored && !stream.sizeExceeded && memory.take(owner, size)) {
        own += size;
        chunks.push(chunk);
        continue;
      }
      isStored = false;
      chunks = [];
      memory.give(owner, own);
      own = 0;
    }
    if (stream.sizeExceeded) throw new SmtpReply(552, "5.3.4", "The message is too large");
    if (!isStored) throw new SmtpReply(452, "4.3.1", "The server is busy, try again later");
    const message = Buffer.concat(chunks);
    // Free the chunks before the work starts.
    chunks = [];
    return await work(message);
  } finally {
    memory.give(owner, own);
  }
}
