import type { Metadata } from "next";

import { AppPasswords } from "./app-passwords.tsx";

export const metadata: Metadata = { title: "App passwords" };

export default function AppPasswordsPage() {
  return <AppPasswords />;
}
