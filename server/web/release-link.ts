import { findOwnQuarantined } from "#server/core/mail/quarantine/own-quarantine.ts";
import { releaseToMailbox } from "#server/core/mail/quarantine/release-quarantined.ts";
import {
  readReleaseToken,
  type ReleaseLink,
} from "#server/core/mail/quarantine-digests/digests.ts";
import { createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";

import type { Exchange, WebReply } from "./exchange.ts";
import {
  formReply,
  notReleasedPage,
  pageReply,
  releasedPage,
  releaseFailedPage,
  releasePage,
  unknownPage,
} from "./link-pages.ts";

const logger = createLogger("web");

/**
 * The release links of quarantine digests. A GET only shows a confirmation page, since link scanners open
 * them; the page's button releases the message.
 */
export async function releaseLink({ request }: Exchange, token: string): Promise<WebReply> {
  const link = readReleaseToken(token, new Date());
  if (!link) return pageReply(404, unknownPage());
  if (link.isExpired) return pageReply(410, notReleasedPage("expired"));
  return handleLink(link, request.method === "POST").catch((error: unknown) => {
    logger.error({ err: error }, "could not answer a release link");
    return pageReply(503, releaseFailedPage());
  });
}

async function handleLink(
  { companyId, quarantineId, mailbox }: ReleaseLink,
  releases: boolean,
): Promise<WebReply> {
  const ctx = createContext(db(), companyId, { kind: "mailbox", address: mailbox });
  const held = await findOwnQuarantined(ctx, mailbox, quarantineId);
  if (!held) return pageReply(410, notReleasedPage("gone"));
  if (!held.canRelease) return pageReply(403, notReleasedPage("not_allowed"));
  const message = { subject: held.subject, from: held.headerFrom || held.sender, mailbox };
  if (!releases) return formReply(releasePage(message));
  try {
    await releaseToMailbox(ctx, mailbox, quarantineId);
    return pageReply(200, releasedPage(message));
  } catch (error) {
    // Another request was faster, or the policy has just changed.
    if (error instanceof Refusal) return pageReply(410, notReleasedPage("gone"));
    throw error;
  }
}
