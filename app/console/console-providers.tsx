"use client";

import dynamic from "next/dynamic";
import type { ReactNode } from "react";

import { signInUrl, PROFILE } from "./next-page.ts";
import { type LeadAway, Providers } from "./providers.tsx";
import { meQuery } from "./session-queries.ts";
import { sessionIsOver, useSessionIsOver } from "./session-over.ts";

// Most pages are left before their session is.
const SignInAgain = dynamic(() =>
  import("./sign-in-again.tsx").then((module) => module.SignInAgain),
);

const leadAway: LeadAway = (reason, { location, client }) => {
  if (reason === "second_factor_due") return PROFILE;
  // Something was taken from the person: the navigation and the buttons follow.
  if (reason === "invalid_permission") void client.invalidateQueries(meQuery);
  if (reason !== "not_signed_in") return null;
  // On a page that was shown there may be something typed: it stays, and the door comes to it.
  if (client.getQueryData(meQuery.queryKey) === undefined) return signInUrl(location);
  sessionIsOver(true);
  return null;
};

export function ConsoleProviders({ children }: { children: ReactNode }) {
  return (
    <Providers leadAway={leadAway}>
      {children}
      <IfOver />
    </Providers>
  );
}

function IfOver() {
  return useSessionIsOver() && <SignInAgain />;
}
