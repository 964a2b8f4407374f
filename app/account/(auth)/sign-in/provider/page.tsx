import type { Metadata } from "next";

import { AccountProviderSignIn } from "#app/account/(auth)/sign-in/sign-in.tsx";

export const metadata: Metadata = { title: "Single sign-on" };

export default function AccountProviderSignInPage() {
  return <AccountProviderSignIn />;
}
