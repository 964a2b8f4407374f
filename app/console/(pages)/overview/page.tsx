import type { Metadata } from "next";

export { ConsoleOverview as default } from "./overview.tsx";

export const metadata: Metadata = { title: "Overview" };
