import type { Metadata } from "next";

export { MailFilters as default } from "./filters.tsx";

export const metadata: Metadata = { title: "Filters" };
