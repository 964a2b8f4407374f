import type { Metadata } from "next";

export { Metrics as default } from "./metrics.tsx";

export const metadata: Metadata = { title: "Metrics" };
