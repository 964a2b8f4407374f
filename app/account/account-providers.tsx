"use client";

import type { ReactNode } from "react";

import { type ErrorRedirect, Providers } from "#app/console/providers.tsx";
import { setSessionExpired, useSessionExpired } from "#app/console/session-expiry.ts";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { type PageTexts, TextsProvider } from "#app/console/ui/texts.tsx";

import { accountSignInUrl, NEW_PASSWORD } from "./account-page.ts";
import { mailboxUserQuery } from "./queries.ts";

// Loaded on demand: most sessions don't expire while a page is open.
const AccountSignInAgainDialog = onDemand(() =>
  import("./sign-in-again-dialog.tsx").then((module) => module.AccountSignInAgainDialog),
);

const redirectOnError: ErrorRedirect = (reason, { location, client }) => {
  if (reason === "must_change_password") return NEW_PASSWORD;
  if (reason !== "not_signed_in") return null;
  // Keep a loaded page with its form input, and ask for the password in a dialog.
  if (client.getQueryData(mailboxUserQuery.queryKey) === undefined)
    return accountSignInUrl(location);
  setSessionExpired(true);
  return null;
};

export const AccountProviders = ({
  texts,
  children,
}: {
  texts: PageTexts;
  children: ReactNode;
}) => (
  <TextsProvider texts={texts}>
    <Providers redirectOnError={redirectOnError}>
      {children}
      <AccountSignInIfExpired />
    </Providers>
  </TextsProvider>
);

const AccountSignInIfExpired = () => useSessionExpired() && <AccountSignInAgainDialog />;
