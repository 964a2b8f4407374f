import type { SMTPServerDataStream } from "smtp-server";

import type { SharedMemory } from "#server/core/platform/limits/shared-memory.ts";
import { SmtpReply } from "./smtp-reply.ts";

/** What keeping a piece takes beside its bytes: a message may come byte by byte. */
const CHUNK_OVERHEAD_BYTES = 256;

export type MessageMemory = {
  memory: SharedMemory;
  /** Whose share it is of; null for nobody's, which has all of it. */
  owner: string | null;
  /** Called with each chunk that arrives. */
  onChunk?: (bytes: number) => void;
};

/**
 * Reads a message to its end and keeps it while `work` runs. Beyond the size that was announced, or
 * while others take all the memory there is for this, it is read and not kept.
 *
 * @throws SmtpReply when it was not kept
 */
export async function withMessage<Result>(
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
    // The pieces need not wait for the work.
    chunks = [];
    return await work(message);
  } finally {
    memory.give(owner, own);
  }
}
