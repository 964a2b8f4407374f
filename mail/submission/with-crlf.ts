const [LF, CR] = [0x0a, 0x0d];

/**
 * Turns bare LFs into CRLF, which old scanners and scripts send. Only for complete messages of signed-in clients: from
 * other servers, a bare LF may be an attempt at SMTP smuggling.
 *
 * @returns null if the result would be larger than `bytesMax`
 */
export function withCrlf(message: Buffer, bytesMax: number): Buffer | null {
  let count = 0;
  for (let at = 0; at < message.length; at++) if (isBareLf(message, at)) count++;
  if (count === 0) return message;
  if (message.length + count > bytesMax) return null;
  const result = Buffer.allocUnsafe(message.length + count);
  let written = 0;
  for (let at = 0; at < message.length; at++) {
    if (isBareLf(message, at)) result[written++] = CR;
    result[written++] = message[at]!;
  }
  return result;
}

const isBareLf = (message: Buffer, at: number) =>
  message[at] === LF && (at === 0 || message[at - 1] !== CR);
