import { SmtpReply } from "./smtp-reply.ts";

/** RFC 5321, 4.5.3.1.6 has 1,000 octets; servers that fold nothing send more, and mean no harm. */
const LINE_OCTETS_MAX = 8_192;
/** RFC 5321, 6.3: more hops than any route has are a loop. */
const HOPS_MAX = 50;

const [LF, CR, NUL] = [0x0a, 0x0d, 0x00];

/**
 * Refuses a message in a form that two servers may understand differently, which is how one message
 * becomes two (SMTP smuggling), and one that goes round in circles.
 *
 * @throws SmtpReply
 */
export function checkContent(message: Buffer): void {
  if (hasBareLineEnd(message))
    throw new SmtpReply(550, "5.6.11", "Lines must end with CR LF, and neither stand alone");
  if (message.includes(NUL)) throw new SmtpReply(550, "5.6.0", "The message has a NUL in it");
  if (hasLongLine(message)) throw new SmtpReply(550, "5.6.0", "The message has a line too long");
  if (countHops(message) > HOPS_MAX)
    throw new SmtpReply(554, "5.4.6", "The message has come through too many servers");
}

function hasBareLineEnd(message: Buffer): boolean {
  let at = 0;
  for (;;) {
    const cr = message.indexOf(CR, at);
    const lf = message.indexOf(LF, at);
    if (cr === -1 && lf === -1) return false;
    if (lf !== cr + 1 || cr === -1) return true;
    at = lf + 1;
  }
}

function hasLongLine(message: Buffer): boolean {
  let at = 0;
  while (at < message.length) {
    const end = message.indexOf(LF, at);
    if ((end === -1 ? message.length : end) - at > LINE_OCTETS_MAX) return true;
    if (end === -1) return false;
    at = end + 1;
  }
  return false;
}

const HEADER_OCTETS_MAX = 256 * 1024;

function countHops(message: Buffer): number {
  const header = message.subarray(0, HEADER_OCTETS_MAX).toString("latin1").split("\r\n\r\n", 1)[0]!;
  return header.match(/^Received:/gim)?.length ?? 0;
}
