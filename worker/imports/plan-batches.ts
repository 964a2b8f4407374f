const MESSAGES_MAX = 100;
/** As the server announces their sizes. */
export const BATCH_BYTES_MAX = 4 * 1024 * 1024;

/** Groups messages, in order, to be fetched and saved together. A larger message is alone. */
export function planBatches<Message extends { size: number }>(messages: Message[]): Message[][] {
  const batches: Message[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const batch = batches.at(-1);
    bytes += message.size;
    if (batch && batch.length < MESSAGES_MAX && bytes <= BATCH_BYTES_MAX) batch.push(message);
    else {
      batches.push([message]);
      bytes = message.size;
    }
  }
  return batches;
}
