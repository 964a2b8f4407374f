import type { Metadata } from "next";
import { Suspense } from "react";

import { AccountProviderSignIn } from "./account-provider-sign-in.tsx";

export const metadata: Metadata = { title: "Single sign-on" };

export default function AccountProviderSignInPage() {
  return (
    <Suspense>
      <AccountProviderSignIn />
    </Suspense>
  );
}
