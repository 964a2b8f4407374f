import type { Metadata } from "next";

export { ServerHealth as default } from "./health.tsx";

export const metadata: Metadata = { title: "Health" };
