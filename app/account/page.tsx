import { redirect } from "next/navigation";

import { HOME } from "./account-page.ts";

export default function AccountPage() {
  redirect(HOME);
}
