import type { Metadata } from "next";

export { ApiKeyDetails as default } from "./api-key.tsx";

export const metadata: Metadata = { title: "API key" };
