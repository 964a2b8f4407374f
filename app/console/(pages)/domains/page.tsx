import type { Metadata } from "next";

export { Domains as default } from "./domains.tsx";

export const metadata: Metadata = { title: "Domains" };
