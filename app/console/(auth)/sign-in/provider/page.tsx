import type { Metadata } from "next";
import { Suspense } from "react";

import { ConsoleProviderSignIn } from "./console-provider-sign-in.tsx";

export const metadata: Metadata = { title: "Single sign-on" };

export default function ProviderSignInPage() {
  return (
    <Suspense>
      <ConsoleProviderSignIn />
    </Suspense>
  );
}
