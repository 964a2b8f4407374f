import type { SMTPServerDataStream } from "smtp-server";

import { SmtpReply } from "./smtp-reply.ts";

/** Room for messages that are being taken in, of all connections of a listener together. */
export type MessageMemory = {
  held: number;
  /** Octets. */
  readonly max: number;
};

const OF_OTHER_SERVERS: MessageMemory = { held: 0, max: 64 * 1024 * 1024 };

/** What keeping a piece takes beside its bytes: a message may come byte by byte. */
const PIECE_BYTES = 256;

/**
 * Reads a message to its end and keeps it while `work` runs. Beyond the size that was announced, or
 * while others take all the memory there is for this, it is read and not kept.
 *
 * @throws SmtpReply when it was not kept
 */
export async function withMessage<Result>(
  stream: SMTPServerDataStream,
  work: (message: Buffer) => Promise<Result>,
  memory: MessageMemory = OF_OTHER_SERVERS,
): Promise<Result> {
  let own = 0;
  let chunks: Buffer[] = [];
  let isKept = true;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const size = chunk.length + PIECE_BYTES;
      if (isKept && !stream.sizeExceeded && memory.held + size <= memory.max) {
        own += size;
        memory.held += size;
        chunks.push(chunk);
        continue;
      }
      isKept = false;
      chunks = [];
      memory.held -= own;
      own = 0;
    }
    if (stream.sizeExceeded) throw new SmtpReply(552, "5.3.4", "The message is too large");
    if (!isKept) throw new SmtpReply(452, "4.3.1", "Too busy to take the message, try again later");
    return await work(Buffer.concat(chunks));
  } finally {
    memory.held -= own;
  }
}
