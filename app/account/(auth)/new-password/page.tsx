import type { Metadata } from "next";

import { ReplaceTemporaryPassword } from "#app/account/passwords.tsx";

export const metadata: Metadata = { title: "Set a new password" };

export default function NewPasswordPage() {
  return <ReplaceTemporaryPassword />;
}
