import type { Metadata } from "next";

export { MailboxTwoFactor as default } from "#app/account/two-factor.tsx";

export const metadata: Metadata = { title: "Two-factor authentication" };
