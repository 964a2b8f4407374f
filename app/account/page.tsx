import { redirect } from "next/navigation";

import { ACCOUNT_HOME } from "./account-page.ts";

export default function AccountPage() {
  redirect(ACCOUNT_HOME);
}
