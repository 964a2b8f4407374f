import type { Settings } from "#server/core/platform/settings/settings.ts";
import { rspamdUrl } from "#server/core/mail/spam/rspamd-url.ts";
import type { Scan } from "#server/gateways/rspamd.ts";

import type { SpamScanner } from "./spam-scanner.ts";

export type ScannedMail = {
  content: Buffer;
  /** Address that wrote it. rspamd takes it for an authenticated user, so SPF, DKIM and blocklists don't count. */
  author: string;
  recipients: string[];
  /** Null if unknown. */
  clientAddress: string | null;
};

/** Scans a message of an authenticated user; null if rspamd is off or doesn't answer. */
export async function scanOutgoing(
  scanner: SpamScanner,
  settings: Settings,
  { content, author, recipients, clientAddress }: ScannedMail,
): Promise<Scan | null> {
  const url = rspamdUrl(settings);
  if (url === null) return null;
  return scanner.scan(url, () =>
    Promise.resolve({
      ...{ content, recipients, clientAddress, sender: author, user: author },
      ...{ helo: null, hostName: null },
    }),
  );
}
