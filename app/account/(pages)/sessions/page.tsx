import type { Metadata } from "next";

export { AccountSessions as default } from "./sessions.tsx";

export const metadata: Metadata = { title: "Sessions" };
