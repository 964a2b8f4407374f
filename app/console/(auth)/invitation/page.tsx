import type { Metadata } from "next";

export { Invitation as default } from "./invitation.tsx";

export const metadata: Metadata = { title: "Invitation" };
