import type { Metadata } from "next";

export { Emails as default } from "./emails.tsx";

export const metadata: Metadata = { title: "Emails" };
