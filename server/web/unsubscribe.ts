import type { IncomingMessage, ServerResponse } from "node:http";

import {
  readUnsubscribe,
  type UnsubscribeLink,
} from "#server/core/sending/tracking/tracking-token.ts";
import { recordUnsubscribe } from "#server/core/sending/unsubscribe/record-unsubscribe.ts";
import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";

import { answerPage, answerWrongMethod } from "./tracking-answer.ts";
import {
  FORM_POLICY,
  unavailablePage,
  unknownPage,
  unsubscribedPage,
  unsubscribePage,
} from "./tracking-pages.ts";
import { userAgentOf } from "./tracking-reader.ts";

const logger = createLogger("tracking");

const PATH = /^\/t\/u\/([^/?#]+)(?:[?#]|$)/;

/**
 * Handles the unsubscribe links of emails (RFC 8058). A GET only shows a page that asks, since programs that check
 * links open them; the page's button and the mailbox provider's POST unsubscribe. Returns whether it handled the
 * request.
 */
export function answerUnsubscribe(request: IncomingMessage, response: ServerResponse): boolean {
  const [, token] = PATH.exec(request.url ?? "") ?? [];
  if (token === undefined) return false;
  // The link has all the information: the body, `List-Unsubscribe=One-Click`, isn't read.
  request.resume();
  const link = readUnsubscribe(token);
  if (!["GET", "HEAD", "POST"].includes(request.method!))
    answerWrongMethod(response, "GET, HEAD, POST");
  else if (!link) answerPage(response, 404, unknownPage());
  else if (request.method !== "POST")
    answerPage(response, 200, unsubscribePage(link.recipient), FORM_POLICY);
  else unsubscribe(link, request, response).catch(() => response.destroy());
  return true;
}

async function unsubscribe(
  link: UnsubscribeLink,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const ipAddress = String(request.headers["x-forwarded-for"]);
    await recordUnsubscribe(db(), link, { ipAddress, userAgent: userAgentOf(request) });
  } catch (error) {
    logger.error({ err: error }, "could not record an unsubscribe request");
    // Mailbox providers retry.
    answerPage(response, 503, unavailablePage());
    return;
  }
  answerPage(response, 200, unsubscribedPage(link.recipient));
}
