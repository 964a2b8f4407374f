import type { Metadata } from "next";

export { SetPassword as default } from "#app/account/passwords.tsx";

export const metadata: Metadata = { title: "Choose your password" };
