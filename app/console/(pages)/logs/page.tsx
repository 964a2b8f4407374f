import type { Metadata } from "next";

export { Logs as default } from "./list.tsx";

export const metadata: Metadata = { title: "Logs" };
