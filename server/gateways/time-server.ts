import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";

/** RFC 5905, 7.3: no leap warning, version 4, mode 3 (client). */
const CLIENT_HEADER = 0b00_100_011;
const MODE_SERVER = 4;
const STRATUM_MAX = 15;
const PACKET_BYTES = 48;
/** NTP counts from 1900. */
const SECONDS_1900_TO_1970 = 2_208_988_800;
const ORIGIN = 24;
const RECEIVED = 32;
const SENT = 40;

/**
 * Queries a time server once (SNTP, RFC 5905, 14). Returns how many milliseconds its clock is ahead of this
 * machine's; negative if it is behind.
 *
 * @throws Error if it doesn't answer in time, or without a valid time
 */
export async function clockOffset(
  { address, port = 123 }: { address: string; port?: number },
  timeoutMs: number,
): Promise<number> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  try {
    socket.connect(port, address);
    await once(socket, "connect");
    const question = Buffer.alloc(PACKET_BYTES);
    question[0] = CLIENT_HEADER;
    // A random transmit time, echoed as the origin, so that only a host that saw the query can reply. It
    // needn't be our time.
    randomBytes(8).copy(question, SENT);
    const asked = Date.now();
    socket.send(question);
    const signal = AbortSignal.timeout(timeoutMs);
    const [answer] = (await once(socket, "message", { signal })) as [Buffer];
    const answered = Date.now();
    requireTime(answer, question);
    return (readTimestamp(answer, RECEIVED) - asked + readTimestamp(answer, SENT) - answered) / 2;
  } finally {
    socket.close();
  }
}

function requireTime(answer: Buffer, question: Buffer): void {
  const isAnswer =
    answer.length >= PACKET_BYTES &&
    (answer[0]! & 0b111) === MODE_SERVER &&
    answer.subarray(ORIGIN, RECEIVED).equals(question.subarray(SENT, PACKET_BYTES));
  if (!isAnswer) throw new Error("the response does not match the request");
  const stratum = answer[1]!;
  if (stratum === 0 || stratum > STRATUM_MAX)
    throw new Error("the server's clock is not synchronized");
}

/** Milliseconds since 1970. The first NTP era ends in 2036, then the count restarts at 0 (RFC 5905, 6). */
function readTimestamp(packet: Buffer, place: number): number {
  const seconds = packet.readUInt32BE(place);
  const era = seconds < 2 ** 31 ? 2 ** 32 : 0;
  const fraction = packet.readUInt32BE(place + 4) / 2 ** 32;
  return (seconds + era - SECONDS_1900_TO_1970 + fraction) * 1_000;
}
