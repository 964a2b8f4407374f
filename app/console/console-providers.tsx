"use client";

import type { ReactNode } from "react";

import { signInUrl, PROFILE } from "./next-page.ts";
import { type ErrorRedirect, Providers } from "./providers.tsx";
import { meQuery } from "./session.ts";
import { setSessionExpired, useSessionExpired } from "./session-expiry.ts";
import { onDemand } from "#app/console/ui/on-demand.tsx";

// Loaded on demand: most sessions don't expire while a page is open.
const SignInAgainDialog = onDemand(() =>
  import("./sign-in-again-dialog.tsx").then((module) => module.SignInAgainDialog),
);

const redirectOnError: ErrorRedirect = (reason, { location, client }) => {
  if (reason === "second_factor_due") return PROFILE;
  // The admin lost a privilege: refresh the navigation and the buttons.
  if (reason === "invalid_permission") void client.invalidateQueries(meQuery);
  if (reason !== "not_signed_in") return null;
  // Keep a loaded page with its form input, and ask for the password in a dialog.
  if (client.getQueryData(meQuery.queryKey) === undefined) return signInUrl(location);
  setSessionExpired(true);
  return null;
};

export const ConsoleProviders = ({ children }: { children: ReactNode }) => (
  <Providers redirectOnError={redirectOnError}>
    {children}
    <SignInAgainIfNeeded />
  </Providers>
);

const SignInAgainIfNeeded = () => useSessionExpired() && <SignInAgainDialog />;
