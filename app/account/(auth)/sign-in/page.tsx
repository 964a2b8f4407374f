import type { Metadata } from "next";
import { Suspense } from "react";

import { SignIn } from "./sign-in.tsx";

export const metadata: Metadata = { title: "Sign in" };

export default function SignInPage() {
  return (
    <Suspense>
      <SignIn />
    </Suspense>
  );
}
