import type { Metadata } from "next";

export { MailLog as default } from "./mail-log.tsx";

export const metadata: Metadata = { title: "Mail log" };
