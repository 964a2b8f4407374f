import type { Metadata } from "next";

export { ChangeMailboxPassword as default } from "#app/account/passwords.tsx";

export const metadata: Metadata = { title: "Password" };
