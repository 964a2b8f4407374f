import type { Metadata } from "next";

import { MailboxTwoFactor } from "#app/account/two-factor.tsx";

export const metadata: Metadata = { title: "Two-factor authentication" };

export default function TwoFactorPage() {
  return <MailboxTwoFactor />;
}
