import { config } from "#server/config.ts";
import { readMailLanguage } from "#server/core/mailboxes/account/language.ts";
import { SignInError } from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { authenticateRepeatedly } from "#server/core/mailboxes/sign-in/repeated-sign-in.ts";
import { db } from "#server/db/pool.ts";
import {
  calendarUser,
  createCollections,
  DAV_HOST,
  DAV_PATH,
  davHeaders,
} from "#server/gateways/calendar-store.ts";
import { mailTexts } from "#server/universal/texts/languages.ts";

import type { Exchange, WebReply } from "./exchange.ts";
import { forward } from "./upstream.ts";

/** `/.well-known/caldav` and `carddav`: where apps start if they know only the hostname (RFC 6764 §5). */
export const calendarRedirect = (): WebReply =>
  config().calendar ? { status: 301, headers: { location: `${DAV_PATH}/` } } : { status: 404 };

/**
 * `/dav` and everything below: calendars and contacts in Radicale. It trusts the user name in a header, so only the appliance
 * can open its socket.
 */
export async function calendar(exchange: Exchange): Promise<WebReply | null> {
  const { calendar: upstream } = config();
  if (!upstream) return { status: 404 };
  try {
    const user = await signIn(exchange);
    exchange.response.setHeader("content-security-policy", "default-src 'none'; sandbox");
    const headers = { ...davHeaders(user), ...ownDestination(exchange) };
    const isAnswered = await forward(exchange, { upstream, cookiePath: DAV_PATH, headers });
    return isAnswered ? null : textReply(503, "Calendars aren't available right now");
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    return signInReply(error);
  }
}

/**
 * Authenticates the mailbox user, and creates the first calendar and address book.
 *
 * @returns the user's name in Radicale
 */
async function signIn({ request, address: clientAddress }: Exchange): Promise<string> {
  const [, encoded] = /^Basic +([\w+/-]+=*) *$/i.exec(request.headers.authorization ?? "") ?? [];
  const [, username, password] =
    /^(.*?):(.*)$/s.exec(Buffer.from(encoded ?? "", "base64").toString()) ?? [];
  if (!username || !password)
    throw new SignInError("wrong_credentials", "Sign in with the address and its password");
  const attempt = { username, password, clientAddress, service: "calendar" } as const;
  const mailbox = await authenticateRepeatedly(db(), attempt);
  await createCollections(mailbox.store, async () => {
    const text = mailTexts(await readMailLanguage({ ...mailbox, db: db() }, mailbox.address));
    return { calendar: text("calendar"), contacts: text("contacts") };
  });
  return calendarUser(mailbox.store);
}

/** Radicale compares the `Destination` of a MOVE with `Host`, and doesn't decode it. */
function ownDestination({ request: { headers } }: Exchange): Record<string, string> {
  const { destination, host = "" } = headers;
  if (typeof destination !== "string") return {};
  const own = destination.replace(/^https?:\/\/([^/]+)/i, (origin, named: string) =>
    named === host ? `http://${DAV_HOST}` : origin,
  );
  const decode = (code: string) => decodeURIComponent(code);
  return { destination: own.replaceAll(/%(?!2[35f]|3f|7f)[2-7][\da-f]/gi, decode) };
}

/** Only a 401 makes apps ask for another password. */
function signInReply({ why, message, retryAfterSeconds }: SignInError): WebReply {
  if (why === "suspended") return textReply(403, message);
  if (why === "too_many_attempts")
    return textReply(429, message, { "retry-after": String(retryAfterSeconds ?? 60) });
  return textReply(401, message, {
    "www-authenticate": 'Basic realm="Posthouse", charset="UTF-8"',
  });
}

const textReply = (
  status: number,
  text: string,
  headers: Record<string, string> = {},
): WebReply => ({
  status,
  type: "text/plain",
  body: `${text}\n`,
  headers,
});
