import type { Metadata } from "next";
import { Suspense } from "react";

import { AccountProviderSignIn } from "#app/account/(auth)/sign-in/sign-in.tsx";

export const metadata: Metadata = { title: "Single sign-on" };

export default function AccountProviderSignInPage() {
  return (
    <Suspense>
      <AccountProviderSignIn />
    </Suspense>
  );
}
