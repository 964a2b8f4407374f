import type { IncomingMessage, ServerResponse } from "node:http";

import { findVisitedEmail } from "#server/core/sending/tracking/find-visited-email.ts";
import { isExpiredById } from "#server/core/sending/tracking/link-lifetime.ts";
import { recordVisit } from "#server/core/sending/tracking/record-visit.ts";
import {
  readClick,
  readOpen,
  type TrackedLink,
} from "#server/core/sending/tracking/tracking-token.ts";
import type { Visit } from "#server/core/sending/tracking/visit.ts";
import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";

import { bestEffort } from "./best-effort.ts";
import { answerPage, answerWrongMethod, LINK_HEADERS } from "./tracking-answer.ts";
import { expiredPage, leavingPage, unknownPage } from "./tracking-pages.ts";
import { isReader, userAgentOf } from "./tracking-reader.ts";

const logger = createLogger("tracking");

const PATH = /^\/t\/([co])\/([^/?#]+)(?:[?#]|$)/;

/** A transparent one-pixel GIF. */
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/**
 * Handles the links (`/t/c/…`) and images (`/t/o/…`) of tracked emails. Returns whether it handled the request.
 *
 * Readers arrive even if the visit can't be recorded. Without the database, a link leads to the page that shows
 * its destination, because it is then unknown whether the company owns it.
 */
export function answerTracking(request: IncomingMessage, response: ServerResponse): boolean {
  const [, kind, token] = PATH.exec(request.url ?? "") ?? [];
  if (token === undefined) return false;
  if (request.method !== "GET" && request.method !== "HEAD") {
    answerWrongMethod(response, "GET, HEAD");
    return true;
  }
  const answering =
    kind === "o" ? answerOpen(token, request, response) : answerClick(token, request, response);
  answering.catch((error: unknown) => {
    logger.error({ err: error }, "request failed");
    response.destroy();
  });
  return true;
}

async function answerOpen(token: string, request: IncomingMessage, response: ServerResponse) {
  const emailId = readOpen(token);
  if (emailId !== null && isReader(request)) {
    const visit: Visit = { type: "opened", link: null, emailId, ...readerOf(request) };
    await bestEffort(
      "record an open",
      async () => {
        if ((await findVisitedEmail(db(), visit))?.counts) await recordVisit(db(), visit);
      },
      logger,
    );
  }
  // Cross-origin isolated web mail would not show the image otherwise.
  const headers = { "content-type": "image/gif", "cross-origin-resource-policy": "cross-origin" };
  response
    .writeHead(200, { ...LINK_HEADERS, ...headers, "content-length": PIXEL.length })
    .end(PIXEL);
}

async function answerClick(token: string, request: IncomingMessage, response: ServerResponse) {
  const link = readClick(token);
  if (!link) answerPage(response, 404, unknownPage());
  else await follow(link, request, response);
}

async function follow(link: TrackedLink, request: IncomingMessage, response: ServerResponse) {
  const { emailId, url } = link;
  const visit: Visit = { type: "clicked", link: url, emailId, ...readerOf(request) };
  const visited = await bestEffort("look up a click", () => findVisitedEmail(db(), visit), logger);
  if (visited?.isExpired ?? isExpiredById(emailId, new Date())) {
    answerPage(response, 410, expiredPage(url));
    return;
  }
  if (visited?.counts && isReader(request))
    await bestEffort("record a click", () => recordVisit(db(), visit), logger);
  if (visited?.isCompanyHost) redirect(response, new URL(url).href);
  else answerPage(response, 200, leavingPage(url));
}

/** Reads the client's address, which `front` put into the header, and the user agent. */
function readerOf(request: IncomingMessage) {
  const ipAddress = String(request.headers["x-forwarded-for"]);
  return { ipAddress, userAgent: userAgentOf(request) };
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { ...LINK_HEADERS, location, "content-length": 0 }).end();
}
