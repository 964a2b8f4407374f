import { titled } from "#app/account/account-texts.ts";

import { AccountProviderSignIn } from "#app/account/(auth)/sign-in/sign-in.tsx";

export const generateMetadata = titled("sso.title");

export default function AccountProviderSignInPage() {
  return <AccountProviderSignIn />;
}
