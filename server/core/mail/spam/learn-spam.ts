import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import { learnMessage, type Learned } from "#server/gateways/rspamd.ts";

import { rspamdUrl } from "./rspamd-url.ts";

/**
 * Teaches rspamd that a mailbox user or admin considers the message spam, or not (`ham`).
 *
 * @returns the result; null when rspamd is off
 * @throws RspamdError when rspamd can't be reached or rejects the request
 */
export async function learnSpam(
  db: Db,
  kind: "spam" | "ham",
  content: Buffer,
): Promise<Learned | null> {
  const url = rspamdUrl(await currentSettings(db));
  return url === null ? null : learnMessage(url, kind, content);
}
