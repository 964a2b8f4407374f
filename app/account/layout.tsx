import type { Metadata } from "next";
import type { ReactNode } from "react";

import "#app/console/styles.ts";

import { AccountProviders } from "./account-providers.tsx";

export const metadata: Metadata = { title: { default: "Mailbox", template: "%s · Mailbox" } };

export default function AccountLayout({ children }: { children: ReactNode }) {
  return <AccountProviders>{children}</AccountProviders>;
}
