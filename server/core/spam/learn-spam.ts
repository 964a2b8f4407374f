import { currentSettings } from "#server/core/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import { learnMessage } from "#server/gateways/rspamd.ts";

/**
 * Teaches rspamd that a person holds the message for spam, or for none (`ham`). Nothing happens where
 * rspamd is off.
 *
 * @throws RspamdError when it cannot be had
 */
export async function learnSpam(db: Db, kind: "spam" | "ham", content: Buffer): Promise<void> {
  const { rspamd_url } = await currentSettings(db);
  if (rspamd_url !== "off") await learnMessage(rspamd_url, kind, content);
}
