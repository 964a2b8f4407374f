import type { Metadata } from "next";

import { Password } from "./password.tsx";

export const metadata: Metadata = { title: "Password" };

export default function PasswordPage() {
  return <Password />;
}
