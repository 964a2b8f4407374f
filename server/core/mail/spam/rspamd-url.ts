import { join } from "node:path";

import { config } from "#server/config.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import { privateRspamdUrl } from "#server/gateways/rspamd-connection.ts";

/** The URL of rspamd, `unix:<folder>` for the private one; null when it is off. */
export function rspamdUrl({ rspamd_url: setting }: Pick<Settings, "rspamd_url">): string | null {
  if (setting === "off") return null;
  return setting === "own" ? privateRspamdUrl(join(config().dataFolder, "rspamd/run")) : setting;
}
