import { readSettings } from "#server/core/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import { pingRspamd } from "#server/gateways/rspamd.ts";

import { type Finding, ok, warning } from "./finding.ts";

const PART = "spam";

/** Whether rspamd is there to look at mail from outside; mail comes in without it too. */
export async function lookAtSpam(db: Db): Promise<Finding> {
  const { rspamd_url: url } = await readSettings(db);
  if (url === "off") return ok(PART, "rspamd is switched off: SPF, DKIM and DMARC decide alone");
  try {
    return ok(PART, `rspamd ${await pingRspamd(url)} looks at mail from outside`);
  } catch {
    return warning(
      PART,
      `no rspamd answers at ${url}, so SPF, DKIM and DMARC decide alone about mail from outside`,
      "`apt-get install rspamd redis-server` gives scores, a quarantine and learning from Junk; with clamav-daemon and rspamd's antivirus module viruses are found too",
    );
  }
}
