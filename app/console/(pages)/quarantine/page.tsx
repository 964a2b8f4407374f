import type { Metadata } from "next";

export { Quarantine as default } from "./list.tsx";

export const metadata: Metadata = { title: "Quarantine" };
