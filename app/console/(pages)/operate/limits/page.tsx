import type { Metadata } from "next";

export { ServerLimits as default } from "./limits.tsx";

export const metadata: Metadata = { title: "Limits" };
