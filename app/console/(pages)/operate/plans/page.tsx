import type { Metadata } from "next";

export { Plans as default } from "./plans.tsx";

export const metadata: Metadata = { title: "Plans" };
