import { posix } from "node:path";

import { config } from "#server/config.ts";
import { readMailLanguage } from "#server/core/mailboxes/account/language.ts";
import { SignInError } from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { authenticateRepeatedly } from "#server/core/mailboxes/sign-in/repeated-sign-in.ts";
import { listSharedCalendars } from "#server/core/mailboxes/shares/shares.ts";
import { db } from "#server/db/pool.ts";
import {
  calendarUser,
  createCollections,
  DAV_HOST,
  DAV_PATH,
  davHeaders,
  isShared,
  linkCalendars,
} from "#server/gateways/calendar-store.ts";
import { basicCredentials } from "#server/http/basic-credentials.ts";
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
    const { user, links } = await signIn(exchange);
    if (!isAllowed(exchange, links)) return textReply(403, "This shared calendar can't be changed");
    exchange.response.setHeader("content-security-policy", "default-src 'none'; sandbox");
    const headers = { ...davHeaders(user), ...ownDestination(exchange) };
    const isAnswered = await forward(exchange, { upstream, cookiePath: DAV_PATH, headers });
    return isAnswered ? null : textReply(503, "Calendars aren't available right now");
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    return signInReply(error);
  }
}

type SignedIn = {
  /** The name in Radicale. */
  user: string;
  /** The calendars of shared mailboxes, as `linkCalendars` names them. */
  links: Set<string>;
};

/** Authenticates the mailbox user, creates the first calendar and address book, and shows the calendars of shared mailboxes. */
async function signIn({ request, address: clientAddress }: Exchange): Promise<SignedIn> {
  const credentials = basicCredentials(request.headers.authorization);
  if (!credentials)
    throw new SignInError("wrong_credentials", "Sign in with the address and its password");
  const attempt = { ...credentials, clientAddress, service: "calendar" } as const;
  const mailbox = await authenticateRepeatedly(db(), attempt);
  const shared = await listSharedCalendars(db(), mailbox.address);
  for (const { store, name, address, companyId } of [mailbox, ...shared])
    await createCollections(store, async () => {
      const text = mailTexts(await readMailLanguage({ companyId, db: db() }, address));
      return { calendar: name || address, contacts: text("contacts") };
    });
  const links = await linkCalendars(mailbox.store, shared);
  return { user: calendarUser(mailbox.store), links };
}

const READING = new Set(["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT"]);

/**
 * Whether shared calendars allow the request. Radicale enforces whether their events can be changed. Only the owner changes or deletes
 * the calendar itself, and names like those of links are reserved.
 */
function isAllowed({ request, path }: Exchange, links: Set<string>): boolean {
  const { method = "", headers } = request;
  const paths = [path];
  if (typeof headers.destination === "string") {
    if (!URL.canParse(headers.destination, "http://x")) return false;
    paths.push(new URL(headers.destination, "http://x").pathname);
  }
  return paths.every((each) => {
    // A path that leaves DAV_PATH would be another collection for Radicale, which doesn't see that part.
    const [root, , collection = "", item] = decodedParts(each) ?? [];
    if (root !== DAV_PATH.slice(1)) return false;
    if (!isShared(collection)) return true;
    return links.has(collection) && (item !== undefined || READING.has(method));
  });
}

/** Without dot segments. Null if the percent-encoding is malformed, which Radicale may read in another way. */
function decodedParts(path: string): string[] | null {
  try {
    return posix.normalize(decodeURIComponent(path)).split("/").filter(Boolean);
  } catch {
    return null;
  }
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
