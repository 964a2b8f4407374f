import { z } from "zod";

import {
  type AllowedProtocols,
  clientSettings,
  qrPath,
} from "#server/core/mailboxes/client-settings/client-settings.ts";
import { config } from "#server/config.ts";

const Servers = z.array(
  z.object({ host: z.string(), port: z.number(), tls: z.enum(["implicit", "starttls"]) }),
);

export const SetUpAnswer = z.object({
  address: z.string().describe("The username"),
  imap: Servers,
  pop3: Servers,
  smtp: Servers,
  sieve: Servers,
  profile_path: z.string().nullable().describe("Path of the profile for Apple devices"),
  phone_url: z.string().describe("The URL in the QR code"),
  qr: z.object({ size: z.number(), path: z.string() }),
});

/** @param isOwn the mailbox is the signed-in one */
export function setUpAnswer(
  address: string,
  { isOwn, allowed }: { isOwn: boolean; allowed?: AllowedProtocols },
): z.input<typeof SetUpAnswer> {
  const settings = clientSettings(allowed);
  const query = `?email=${encodeURIComponent(address)}`;
  const phoneUrl = `${config().baseUrl}/account/connect${query}`;
  const hasProfile = settings.smtp.length > 0 && settings.imap.length + settings.pop3.length > 0;
  const profile = isOwn ? "/account/apple.mobileconfig" : `/apple.mobileconfig${query}`;
  return {
    address,
    ...settings,
    profile_path: hasProfile ? profile : null,
    phone_url: phoneUrl,
    qr: qrPath(phoneUrl),
  };
}
