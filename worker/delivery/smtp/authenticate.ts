import { isPositive, type Reply } from "./reply.ts";
import type { Wire } from "./wire.ts";

type Credentials = { user: string; pass: string };

/**
 * Authenticates with PLAIN or LOGIN, whichever the server offers (RFC 4954), and returns its reply. The
 * caller ensures that the connection is private.
 *
 * @throws WireError
 */
export async function authenticate(
  wire: Wire,
  { user, pass }: Credentials,
  { mechanisms, timeoutMs }: { mechanisms: string; timeoutMs: number },
): Promise<Reply> {
  const offered = mechanisms.toUpperCase().split(" ");
  const usesLogin = offered.includes("LOGIN") && !offered.includes("PLAIN");
  if (!usesLogin) {
    wire.write(`AUTH PLAIN ${base64(`\0${user}\0${pass}`)}\r\n`);
    return wire.reply(timeoutMs);
  }
  for (const line of ["AUTH LOGIN", base64(user)]) {
    wire.write(`${line}\r\n`);
    const reply = await wire.reply(timeoutMs);
    if (reply.code !== 334)
      return isPositive(reply) ? { code: 501, lines: ["Authentication failed"] } : reply;
  }
  wire.write(`${base64(pass)}\r\n`);
  return wire.reply(timeoutMs);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
