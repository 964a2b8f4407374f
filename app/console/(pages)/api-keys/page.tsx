import type { Metadata } from "next";

export { ApiKeys as default } from "./list.tsx";

export const metadata: Metadata = { title: "API keys" };
