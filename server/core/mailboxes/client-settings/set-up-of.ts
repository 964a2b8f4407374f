import { config } from "#server/config.ts";

import { type AllowedProtocols, type ClientSettings, clientSettings } from "./client-settings.ts";
import { type QrPath, qrPath } from "./qr-path.ts";

/** What a person is handed to connect a mailbox: settings, pages, and a code that leads a phone there. */
export type SetUp = ClientSettings & {
  /** Also the user name. */
  address: string;
  /** Where its person signs in. */
  accountUrl: string;
  /** Steps and settings for a phone: what the QR code says. */
  phoneUrl: string;
  qr: QrPath;
};

/** @param allowed by the policy of the mailbox's unit */
export function setUpOf(address: string, allowed: AllowedProtocols): SetUp {
  const { baseUrl } = config();
  const phoneUrl = `${baseUrl}/account/connect?email=${encodeURIComponent(address)}`;
  return {
    ...{ address, phoneUrl },
    ...clientSettings(allowed),
    accountUrl: `${baseUrl}/account`,
    qr: qrPath(phoneUrl),
  };
}
