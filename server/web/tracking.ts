import type { IncomingMessage } from "node:http";

import { findVisitedEmail, recordVisit, type Visit } from "#server/core/sending/tracking/visits.ts";
import {
  isExpiredById,
  readClick,
  readOpen,
  readUnsubscribe,
} from "#server/core/sending/tracking/tracking-token.ts";
import { recordUnsubscribe } from "#server/core/sending/unsubscribe/hosted-unsubscribe.ts";
import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";

import { bestEffort } from "./best-effort.ts";
import type { Exchange, WebReply } from "./exchange.ts";
import {
  expiredPage,
  formReply,
  leavingPage,
  LINK_HEADERS,
  pageReply,
  unavailablePage,
  unknownPage,
  unsubscribedPage,
  unsubscribePage,
} from "./link-pages.ts";

const logger = createLogger("tracking");

/** A transparent one-pixel GIF. */
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** `/t/o/…`: the image of an email with open tracking. Served even if the open can't be recorded. */
export async function loadImage(exchange: Exchange, token: string): Promise<WebReply> {
  const emailId = readOpen(token);
  if (emailId !== null && isReader(exchange.request)) {
    const visit: Visit = { type: "opened", link: null, emailId, ...readerOf(exchange) };
    await bestEffort(
      "record an open",
      async () => {
        if ((await findVisitedEmail(db(), visit))?.counts) await recordVisit(db(), visit);
      },
      logger,
    );
  }
  return {
    status: 200,
    type: "image/gif",
    body: PIXEL,
    // Cross-origin isolated web mail would not show the image otherwise.
    headers: { ...LINK_HEADERS, "cross-origin-resource-policy": "cross-origin" },
  };
}

/**
 * `/t/c/…`: a link of an email with click tracking. Readers are redirected even if the click can't be recorded. Without the
 * database, they get a page that shows the destination, because it is then unknown whether the company owns it.
 */
export async function followLink(exchange: Exchange, token: string): Promise<WebReply> {
  const clicked = readClick(token);
  if (!clicked) return pageReply(404, unknownPage());
  const { emailId, url } = clicked;
  const visit: Visit = { type: "clicked", link: url, emailId, ...readerOf(exchange) };
  const visited = await bestEffort("look up a click", () => findVisitedEmail(db(), visit), logger);
  if (visited?.isExpired ?? isExpiredById(emailId, new Date()))
    return pageReply(410, expiredPage(url));
  if (visited?.counts && isReader(exchange.request))
    await bestEffort("record a click", () => recordVisit(db(), visit), logger);
  if (!visited?.isCompanyHost) return pageReply(200, leavingPage(url));
  return { status: 302, headers: { ...LINK_HEADERS, location: new URL(url).href } };
}

/**
 * `/t/u/…`: the unsubscribe link of an email (RFC 8058). A GET only shows a confirmation page, since link scanners
 * open them; the page's button and the mailbox provider's POST unsubscribe. The link contains everything needed:
 * the body, `List-Unsubscribe=One-Click`, isn't read.
 */
export async function unsubscribe(exchange: Exchange, token: string): Promise<WebReply> {
  const link = readUnsubscribe(token);
  if (!link) return pageReply(404, unknownPage());
  if (exchange.request.method !== "POST") return formReply(unsubscribePage(link.recipient));
  try {
    await recordUnsubscribe(db(), link, readerOf(exchange));
  } catch (error) {
    logger.error({ err: error }, "could not record an unsubscribe request");
    // Mailbox providers retry.
    return pageReply(503, unavailablePage());
  }
  return pageReply(200, unsubscribedPage(link.recipient));
}

const readerOf = ({ request, address }: Exchange) => ({
  ipAddress: address,
  userAgent: userAgentOf(request),
});

const USER_AGENT_CHARS_MAX = 500;

/** Headers that mark a prefetch. */
const PREFETCH_HEADERS = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

/**
 * Programs that follow links without a reader: scanning mail gateways, link previews of messengers, crawlers and
 * link checkers, if they identify themselves. Excludes the image proxies of Gmail and Yahoo, which load an image
 * when the email is opened. `CUBOT` is a phone brand.
 */
const AUTOMATED = new RegExp(
  [
    "(?<!cu)bot\\b|crawl|spider|slurp|scanner|link.?check|checklink|link.?expand|link.?preview",
    "urlpreview|uripreview|url preview|bingpreview|externalhit|^whatsapp/|embedly|existence discovery",
    "barracuda|proofpoint|mimecast|cloudmark|ironport|ciscosecure|trend ?micro|fortiguard|fortimail",
    "sophos|symantec|virustotal|urlscan|zscaler|checkpoint|vadesecure|google-safety|safebrowsing",
  ].join("|"),
  "i",
);

/** Whether a request seems to come from a reader, not from an automated program. */
function isReader({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET") return false;
  if (PREFETCH_HEADERS.some((name) => /prefetch|prerender|preview/i.test(String(headers[name]))))
    return false;
  return !AUTOMATED.test(headers["user-agent"] ?? "");
}

/** Returns the User-Agent header, truncated and without control characters; null if there is none. */
function userAgentOf({ headers }: IncomingMessage): string | null {
  const text = (headers["user-agent"] ?? "").replace(/[\x00-\x1f\x7f-\x9f]/g, " ").trim();
  return text.slice(0, USER_AGENT_CHARS_MAX).toWellFormed() || null;
}
