import type { Metadata } from "next";

import { NewApiKey } from "./new-api-key.tsx";

export const metadata: Metadata = { title: "Create API key" };

export default function NewApiKeyPage() {
  return <NewApiKey />;
}
