import {
  findForwardRequest,
  readForwardToken,
} from "#server/core/mailboxes/mailbox-rules/forward-confirmations.ts";
import { answerForwardRequest } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { db } from "#server/db/pool.ts";

import type { Exchange, WebReply } from "./exchange.ts";
import { formReply, forwardPage, pageReply, unknownPage } from "./link-pages.ts";

/**
 * The links of forwarding requests. A GET only shows the request, since link scanners open them; the page's buttons post
 * the answer. After the link has expired, it only declines.
 */
export async function forwardLink({ request, query }: Exchange, token: string): Promise<WebReply> {
  const link = readForwardToken(token, new Date());
  if (!link) return pageReply(404, unknownPage());
  const found = await findForwardRequest(db(), link.id);
  if (!found) return pageReply(410, forwardPage(null));
  const shown = { ...found, isExpired: link.isExpired };
  if (request.method !== "POST") return formReply(forwardPage(shown));
  const answer = query === "decline" ? "declined" : "confirmed";
  if (answer === "confirmed" && link.isExpired) return pageReply(410, forwardPage(shown));
  await answerForwardRequest(db(), found, answer);
  return formReply(forwardPage({ ...shown, state: answer }));
}
