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
import { type Language, requestLanguage } from "#server/universal/texts/languages.ts";

import type { Exchange, WebReply } from "./exchange.ts";
import {
  formReply,
  notReleasedPage,
  pageReply,
  releasedPage,
  releasePage,
  unknownPage,
} from "./link-pages.ts";

const logger = createLogger("web");

/**
 * The release links of quarantine digests. A GET only shows a confirmation page, since link scanners open
 * them; the page's button releases the message.
 */
export async function releaseLink({ request }: Exchange, token: string): Promise<WebReply> {
  const language = requestLanguage(request.headers);
  const link = readReleaseToken(token, new Date());
  if (!link) return pageReply(404, unknownPage(language));
  if (link.isExpired) return pageReply(410, notReleasedPage("expired", language));
  const releases = request.method === "POST";
  return handleLink(link, { releases, language }).catch((error: unknown) => {
    logger.error({ err: error }, "could not answer a release link");
    return pageReply(503, notReleasedPage("failed", language));
  });
}

async function handleLink(
  { companyId, quarantineId, mailbox }: ReleaseLink,
  { releases, language }: { releases: boolean; language: Language },
): Promise<WebReply> {
  const ctx = createContext(db(), companyId, { kind: "mailbox", address: mailbox });
  const held = await findOwnQuarantined(ctx, mailbox, quarantineId);
  if (!held) return pageReply(410, notReleasedPage("gone", language));
  if (!held.canRelease) return pageReply(403, notReleasedPage("not_allowed", language));
  const message = { subject: held.subject, from: held.headerFrom || held.sender, mailbox };
  if (!releases) return formReply(releasePage(message, language));
  try {
    await releaseToMailbox(ctx, mailbox, quarantineId);
    return pageReply(200, releasedPage(message, language));
  } catch (error) {
    // Another request was faster, or the policy has just changed.
    if (error instanceof Refusal) return pageReply(410, notReleasedPage("gone", language));
    throw error;
  }
}
