import type { Metadata } from "next";

export { AccountQuarantine as default } from "./quarantine.tsx";

export const metadata: Metadata = { title: "Quarantine" };
