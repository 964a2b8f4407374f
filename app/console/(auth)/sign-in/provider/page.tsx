import type { Metadata } from "next";

import { ConsoleProviderSignIn } from "./console-provider-sign-in.tsx";

export const metadata: Metadata = { title: "Single sign-on" };

export default function ProviderSignInPage() {
  return <ConsoleProviderSignIn />;
}
