import type { Metadata } from "next";
import type { ReactNode } from "react";

import "#app/console/styles.ts";

import { AccountProviders } from "./account-providers.tsx";
import { accountText, accountTexts } from "./account-texts.ts";

export async function generateMetadata(): Promise<Metadata> {
  const mailbox = await accountText("mailbox");
  return { title: { default: mailbox, template: `%s · ${mailbox}` } };
}

export default async function AccountLayout({ children }: { children: ReactNode }) {
  return <AccountProviders texts={await accountTexts()}>{children}</AccountProviders>;
}
