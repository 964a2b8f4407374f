import { stat } from "node:fs/promises";
import { join, posix } from "node:path";

import { config } from "#server/config.ts";
import { readMailLanguage } from "#server/core/mailboxes/account/language.ts";
import { reserveSpace } from "#server/core/mailboxes/collections/collection-usage.ts";
import { SignInError } from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { authenticateRepeatedly } from "#server/core/mailboxes/sign-in/repeated-sign-in.ts";
import { listSharedCalendars } from "#server/core/mailboxes/shares/shares.ts";
import { db } from "#server/db/pool.ts";
import {
  calendarUser,
  collectionsPath,
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

/** Maximum size of an event or contact, including a photo. */
const ITEM_BYTES_MAX = 2 * 1024 * 1024;

/**
 * `/dav` and everything below: calendars and contacts in Radicale. It trusts the user name in a header, so only the appliance
 * can open its socket.
 */
export async function calendar(exchange: Exchange): Promise<WebReply | null> {
  const { calendar: upstream } = config();
  if (!upstream) return { status: 404 };
  try {
    const places = readPlaces(exchange);
    const { store, links } = await signIn(exchange, places);
    if (!places?.every((place) => isAllowed(exchange, place, links)))
      return textReply(403, "This can't be changed here");
    const onBody = await reserve(exchange, places, { store, links });
    if (typeof onBody === "string") return fullReply(onBody);
    exchange.response.setHeader("content-security-policy", "default-src 'none'; sandbox");
    const headers = { ...davHeaders(calendarUser(store)), ...ownDestination(exchange) };
    const passage = {
      upstream,
      turns: { user: `calendar ${store}`, max: 2 },
      cookiePath: DAV_PATH,
      headers,
      bodyMax: ITEM_BYTES_MAX,
      ...(onBody && { onBody }),
    };
    const isAnswered = await forward(exchange, passage);
    return isAnswered ? null : textReply(503, "Calendars aren't available right now");
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    return signInReply(error);
  }
}

/** A collection that a request names, and an event or contact in it. Both are "" for a mailbox's home. */
type Place = { collection: string; item: string };

/** The request's path and the `Destination` of a MOVE. Null if one of them is malformed or outside of `DAV_PATH`. */
function readPlaces({ request: { headers }, path }: Exchange): Place[] | null {
  const paths = [path];
  if (typeof headers.destination === "string") {
    if (!URL.canParse(headers.destination, "http://x")) return null;
    paths.push(new URL(headers.destination, "http://x").pathname);
  }
  const places = paths.flatMap((each) => {
    // A path that leaves DAV_PATH would be another collection for Radicale, which doesn't see that part.
    const [root, , collection = "", item = ""] = decodedParts(each) ?? [];
    return root === DAV_PATH.slice(1) ? [{ collection, item }] : [];
  });
  return places.length === paths.length ? places : null;
}

/** The owners' stores by the names of the calendars of shared mailboxes. */
type Links = Map<string, string>;

/**
 * Authenticates the mailbox user, creates the first calendar and address book, and shows the calendars of shared mailboxes, unless the
 * request is only about the user's own.
 */
async function signIn(
  { request, address: clientAddress }: Exchange,
  places: Place[] | null,
): Promise<{ store: string; links: Links }> {
  const credentials = basicCredentials(request.headers.authorization);
  if (!credentials)
    throw new SignInError("wrong_credentials", "Sign in with the address and its password");
  const attempt = { ...credentials, clientAddress, service: "calendar" } as const;
  const mailbox = await authenticateRepeatedly(db(), attempt);
  const isOwn = places?.every(({ collection }) => collection !== "" && !isShared(collection));
  const shared = isOwn ? [] : await listSharedCalendars(db(), mailbox.address);
  for (const { store, name, address, companyId } of [mailbox, ...shared])
    await createCollections(store, async () => {
      const text = mailTexts(await readMailLanguage({ companyId, db: db() }, address));
      return { calendar: name || address, contacts: text("contacts") };
    });
  const links: Links = isOwn ? new Map() : await linkCalendars(mailbox.store, shared);
  return { store: mailbox.store, links };
}

const READING = new Set(["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT"]);

/**
 * Whether the request is allowed on its collection, own or shared. Radicale enforces whether their events can be changed. Only the owner changes or deletes
 * the calendar itself, and names like those of links are reserved.
 */
function isAllowed({ request }: Exchange, { collection, item }: Place, links: Links): boolean {
  // Would replace the whole collection.
  if (item === "" && request.method === "PUT") return false;
  if (!isShared(collection)) return true;
  return links.has(collection) && (item !== "" || READING.has(request.method!));
}

/** As `reserveSpace`; undefined if nothing grows. */
async function reserve(
  { request: { method, headers } }: Exchange,
  places: Place[],
  { store, links }: { store: string; links: Links },
) {
  if (READING.has(method!) || method === "DELETE") return undefined;
  const [from, to] = [places[0]!, places.at(-1)!];
  const storeOf = ({ collection }: Place) => links.get(collection) ?? store;
  if (method !== "MOVE")
    return reserveSpace(db(), storeOf(to), Number(headers["content-length"] ?? 0));
  if (storeOf(from) === storeOf(to)) return undefined;
  // A shared calendar is a link in the home of its viewer.
  const file = join(collectionsPath(store), from.collection, from.item);
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  const count = await reserveSpace(db(), storeOf(to), size);
  if (typeof count !== "string") count(size);
  return count;
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

/** RFC 4331 §6. */
const fullReply = (condition: string): WebReply => ({
  status: 507,
  type: "application/xml",
  body: `<?xml version="1.0"?>\n<error xmlns="DAV:"><${condition}/></error>\n`,
});

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
