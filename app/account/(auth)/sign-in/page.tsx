import type { Metadata } from "next";
import { Suspense } from "react";

import { AccountSignIn } from "./sign-in.tsx";

export const metadata: Metadata = { title: "Sign in" };

export default function AccountSignInPage() {
  return (
    <Suspense>
      <AccountSignIn />
    </Suspense>
  );
}
