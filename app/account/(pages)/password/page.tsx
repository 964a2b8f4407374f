import type { Metadata } from "next";

import { ChangeMailboxPassword } from "#app/account/passwords.tsx";

export const metadata: Metadata = { title: "Password" };

export default function PasswordPage() {
  return <ChangeMailboxPassword />;
}
