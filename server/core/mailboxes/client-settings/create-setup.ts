import { config } from "#server/config.ts";

import { type AllowedProtocols, type ClientSettings, clientSettings } from "./client-settings.ts";
import { type QrPath, qrPath } from "./qr-path.ts";

/** Everything needed to connect a mailbox: settings, pages, and a QR code that opens them on a phone. */
export type MailboxSetup = ClientSettings & {
  address: string;
  /** Where the mailbox user signs in. */
  accountUrl: string;
  /** The page that the QR code opens. */
  phoneUrl: string;
  qr: QrPath;
};

/** @param allowed by the policy of the mailbox's unit */
export function createSetup(address: string, allowed: AllowedProtocols): MailboxSetup {
  const { baseUrl } = config();
  const phoneUrl = `${baseUrl}/account/connect?email=${encodeURIComponent(address)}`;
  return {
    ...{ address, phoneUrl },
    ...clientSettings(allowed),
    accountUrl: `${baseUrl}/account`,
    qr: qrPath(phoneUrl),
  };
}
