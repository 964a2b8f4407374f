import type { Metadata } from "next";

export { Audit as default } from "./audit.tsx";

export const metadata: Metadata = { title: "Audit log" };
