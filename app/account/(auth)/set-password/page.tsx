import type { Metadata } from "next";

import { SetPassword } from "./set-password.tsx";

export const metadata: Metadata = { title: "Choose your password" };

export default function SetPasswordPage() {
  return <SetPassword />;
}
