import type { Metadata } from "next";

export { Mailboxes as default } from "./list.tsx";

export const metadata: Metadata = { title: "Mailboxes" };
