import type { Metadata } from "next";

import { AccountSessions } from "./sessions.tsx";

export const metadata: Metadata = { title: "Sessions" };

export default function SessionsPage() {
  return <AccountSessions />;
}
