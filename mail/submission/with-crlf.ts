const [LF, CR] = [0x0a, 0x0d];

/**
 * Turns bare LFs into CRLF, which old scanners and scripts send. Only for complete messages of signed-in clients: from
 * other servers, a bare LF may be an attempt at SMTP smuggling.
 */
export function withCrlf(message: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let lf = message.indexOf(LF); lf !== -1; lf = message.indexOf(LF, lf + 1)) {
    if (lf > 0 && message[lf - 1] === CR) continue;
    pieces.push(message.subarray(at, lf), CRLF);
    at = lf + 1;
  }
  return at === 0 ? message : Buffer.concat([...pieces, message.subarray(at)]);
}

const CRLF = Buffer.from("\r\n");
