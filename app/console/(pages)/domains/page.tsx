import type { Metadata } from "next";

export { Domains as default } from "./list.tsx";

export const metadata: Metadata = { title: "Domains" };
