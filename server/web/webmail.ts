import { config } from "#server/config.ts";
import {
  type AccountUser,
  findAccountUser,
} from "#server/core/access/sessions/account-sessions.ts";
import { listedSessionId } from "#server/core/access/sessions/sessions.ts";
import { webmailPassword } from "#server/core/access/sessions/webmail-password.ts";
import { db } from "#server/db/pool.ts";
import { type Language, requestLanguage } from "#server/universal/texts/languages.ts";

import type { Exchange, WebReply } from "./exchange.ts";
import { pageReply, webmailDownPage } from "./link-pages.ts";
import { isolatePage } from "./pages.ts";
import { forward } from "./upstream.ts";

const PATH = "/webmail";

/** Would lead out of `PATH`. Browsers resolve it themselves. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * `/webmail` and everything below: Roundcube, signed in with the session of `/account`. Each request needs the session, so
 * that webmail ends with it.
 */
export async function webmail(exchange: Exchange): Promise<WebReply | null> {
  const { webmail: upstream } = config();
  const { request, path, isFolder } = exchange;
  if (!upstream || DOT_SEGMENT.test(path)) return { status: 404 };
  const user = await findAccountUser(db(), request.headers.cookie ?? "");
  if (!user || user.forcePasswordChange) return signInReply(exchange, user);
  // Roundcube's links are relative.
  if (path === PATH && !isFolder) return { status: 302, headers: { location: `${PATH}/` } };
  const language = languageOf(user, exchange);
  const headers = await ownHeaders(exchange, user, language);
  if (!headers) return signInReply(exchange, null);
  setPolicy(exchange);
  const turns = { user: user.store, max: 6 };
  const isAnswered = await forward(exchange, { upstream, turns, cookiePath: PATH, headers });
  return isAnswered ? null : pageReply(502, webmailDownPage(language));
}

const languageOf = ({ language }: AccountUser, { request }: Exchange) =>
  language ?? requestLanguage(request.headers);

/** What lighttpd.conf passes to Roundcube. All others are static files, which don't need the user. */
const PAGES = new Set([PATH, `${PATH}/index.php`]);

/** Null if the session has just ended. */
async function ownHeaders(
  { request, address, path }: Exchange,
  user: AccountUser,
  language: Language,
): Promise<Record<string, string> | null> {
  if (!PAGES.has(path)) return {};
  const password = await webmailPassword(db(), user.sessionId);
  if (password === null) return null;
  return {
    cookie: passedCookies(request.headers.cookie ?? ""),
    "x-posthouse-mailbox": user.address,
    // Not the address, so that a later mailbox with it doesn't get the contacts of this one.
    "x-posthouse-user": user.store,
    "x-posthouse-password": password,
    "x-posthouse-session": listedSessionId(user.sessionId),
    "x-posthouse-client": address,
    "x-posthouse-language": language,
  };
}

/** All but Posthouse's own, so that nothing in Roundcube can use `/account`. */
const passedCookies = (header: string) =>
  header
    .split(/; */)
    .filter((cookie) => !/^(__Host-)?posthouse_/.test(cookie))
    .join("; ");

/** Redirects browsers that open a page to the sign-in page and back. Scripts and frames, which can't sign in, get a 401. */
function signInReply(
  { request: { method, headers }, path, isFolder, query }: Exchange,
  user: AccountUser | null,
): WebReply {
  const byType = headers.accept?.includes("text/html") ? "document" : "";
  const isNavigation = (headers["sec-fetch-dest"] ?? byType) === "document";
  if (method !== "GET" || !isNavigation) return { status: 401 };
  const next = path + (isFolder ? "/" : "") + (query && `?${query}`);
  const signIn = `/account/sign-in?next=${encodeURIComponent(next)}`;
  return { status: 302, headers: { location: user ? "/account/new-password" : signIn } };
}

/**
 * Allows what Roundcube needs. Requests, forms and frames are limited to its own path, so that a script in a message can't reach
 * `/account` or `/console`. The opener policy, which differs from theirs, keeps it from using their windows.
 */
function setPolicy({ request, response }: Exchange): void {
  isolatePage(response);
  response.setHeader("cross-origin-opener-policy", "same-origin-allow-popups");
  response.setHeader("x-frame-options", "SAMEORIGIN");
  const { host = "" } = request.headers;
  const own = `${/^[a-z0-9.-]+(:\d+)?$/i.test(host) ? host : new URL(config().baseUrl).host}${PATH}/`;
  const policy = [
    "default-src 'none'",
    `script-src ${own} 'unsafe-inline' 'unsafe-eval'`,
    `style-src ${own} 'unsafe-inline'`,
    // Roundcube loads images from other servers only if the reader asks for them.
    "img-src 'self' data: blob: http: https:",
    `font-src ${own} data:`,
    `media-src ${own} blob:`,
    `connect-src ${own}`,
    `frame-src ${own}`,
    `form-action ${own}`,
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ];
  response.setHeader("content-security-policy", policy.join("; "));
}
