import type { Metadata } from "next";

export { ApiKeys as default } from "./api-keys.tsx";

export const metadata: Metadata = { title: "API keys" };
