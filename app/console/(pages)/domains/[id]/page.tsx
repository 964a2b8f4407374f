import type { Metadata } from "next";

export { DomainPage as default } from "./domain.tsx";

export const metadata: Metadata = { title: "Domain" };
