import type { Metadata } from "next";

import { AccountSignIn } from "./sign-in.tsx";

export const metadata: Metadata = { title: "Sign in" };

export default function AccountSignInPage() {
  return <AccountSignIn />;
}
