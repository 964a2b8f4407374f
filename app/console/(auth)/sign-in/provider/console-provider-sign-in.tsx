"use client";

import { ProviderSignIn } from "#app/console/single-sign-on/provider-sign-in.tsx";
import { CONSOLE } from "#app/console/single-sign-on/queries.ts";

export const ConsoleProviderSignIn = () => <ProviderSignIn area={CONSOLE} />;
