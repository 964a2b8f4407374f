import type { Metadata } from "next";

import { SetPassword } from "#app/account/passwords.tsx";

export const metadata: Metadata = { title: "Choose your password" };

export default function SetPasswordPage() {
  return <SetPassword />;
}
