"use client";

import { ACCOUNT } from "#app/account/sign-in-area.ts";
import { ProviderSignIn } from "#app/console/single-sign-on/provider-sign-in.tsx";

export const AccountProviderSignIn = () => <ProviderSignIn area={ACCOUNT} />;
