import type { IncomingMessage, ServerResponse } from "node:http";

import { findOwnQuarantined } from "#server/core/mail/quarantine/own-quarantine.ts";
import { releaseToMailbox } from "#server/core/mail/quarantine/release-to-mailbox.ts";
import {
  readReleaseToken,
  RELEASE_PATH,
  type ReleaseLink,
} from "#server/core/mail/quarantine-digests/release-link.ts";
import { createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";

import { answerPage, answerWrongMethod } from "./tracking-answer.ts";
import {
  FORM_POLICY,
  notReleasedPage,
  releasedPage,
  releaseFailedPage,
  releasePage,
  unknownPage,
} from "./tracking-pages.ts";

const logger = createLogger("web");

/**
 * Handles the release links of quarantine digests. A GET only shows a page that asks, since programs that check links open
 * them; the page's button releases. Returns whether it handled the request.
 */
export function answerReleaseLink(request: IncomingMessage, response: ServerResponse): boolean {
  const url = request.url ?? "";
  if (!url.startsWith(RELEASE_PATH)) return false;
  // The link has all the information.
  request.resume();
  const token = url.slice(RELEASE_PATH.length).split(/[?#]/, 1)[0]!;
  const link = readReleaseToken(token, new Date());
  if (!["GET", "HEAD", "POST"].includes(request.method!))
    answerWrongMethod(response, "GET, HEAD, POST");
  else if (!link) answerPage(response, 404, unknownPage());
  else if (link.isExpired) answerPage(response, 410, notReleasedPage("expired"));
  else
    handleLink(link, request.method === "POST")
      .catch((error: unknown): Answer => {
        logger.error({ err: error }, "could not answer a release link");
        return [503, releaseFailedPage()];
      })
      .then((answer) => answerPage(response, ...answer))
      .catch(() => response.destroy());
  return true;
}

type Answer = [status: number, page: string, policy?: string];

async function handleLink(
  { companyId, quarantineId, mailbox }: ReleaseLink,
  releases: boolean,
): Promise<Answer> {
  const ctx = createContext(db(), companyId, { kind: "mailbox", address: mailbox });
  const held = await findOwnQuarantined(ctx, mailbox, quarantineId);
  if (!held) return [410, notReleasedPage("gone")];
  if (!held.canRelease) return [403, notReleasedPage("not_allowed")];
  const message = { subject: held.subject, from: held.headerFrom || held.sender, mailbox };
  if (!releases) return [200, releasePage(message), FORM_POLICY];
  try {
    await releaseToMailbox(ctx, mailbox, quarantineId);
    return [200, releasedPage(message)];
  } catch (error) {
    // Another request was faster, or the policy has just changed.
    if (error instanceof Refusal) return [410, notReleasedPage("gone")];
    throw error;
  }
}
