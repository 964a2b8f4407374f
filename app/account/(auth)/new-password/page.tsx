import type { Metadata } from "next";

import { NewPassword } from "./new-password.tsx";

export const metadata: Metadata = { title: "Set a new password" };

export default function NewPasswordPage() {
  return <NewPassword />;
}
