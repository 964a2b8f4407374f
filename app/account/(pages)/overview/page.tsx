import type { Metadata } from "next";

export { AccountOverview as default } from "./overview.tsx";

export const metadata: Metadata = { title: "Overview" };
