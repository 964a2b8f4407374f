import type { Metadata } from "next";
import { Suspense } from "react";

import { ProviderSignIn } from "./provider-sign-in.tsx";

export const metadata: Metadata = { title: "Single sign-on" };

export default function ProviderSignInPage() {
  return (
    <Suspense>
      <ProviderSignIn />
    </Suspense>
  );
}
