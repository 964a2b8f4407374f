import type { Metadata } from "next";

import { ReplaceTemporaryPassword } from "./replace-temporary-password.tsx";

export const metadata: Metadata = { title: "Set a new password" };

export default function NewPasswordPage() {
  return <ReplaceTemporaryPassword />;
}
