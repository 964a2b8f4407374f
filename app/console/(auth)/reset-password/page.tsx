import type { Metadata } from "next";

export { ResetPassword as default } from "./reset-password.tsx";

export const metadata: Metadata = { title: "Set a new password" };
