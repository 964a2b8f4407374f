"use client";

import type { ReactNode } from "react";

import { type ErrorRedirect, Providers } from "#app/console/providers.tsx";

import { accountSignInUrl, NEW_PASSWORD } from "./account-page.ts";

const redirectOnError: ErrorRedirect = (reason, { location }) => {
  if (reason === "not_signed_in") return accountSignInUrl(location);
  return reason === "must_change_password" ? NEW_PASSWORD : null;
};

export function AccountProviders({ children }: { children: ReactNode }) {
  return <Providers redirectOnError={redirectOnError}>{children}</Providers>;
}
