import type { Metadata } from "next";

export { ReplaceTemporaryPassword as default } from "#app/account/passwords.tsx";

export const metadata: Metadata = { title: "Set a new password" };
