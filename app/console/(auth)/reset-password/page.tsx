import type { Metadata } from "next";

import { ResetPassword } from "./reset-password.tsx";

export const metadata: Metadata = { title: "Set a new password" };

export default function ResetPasswordPage() {
  return <ResetPassword />;
}
