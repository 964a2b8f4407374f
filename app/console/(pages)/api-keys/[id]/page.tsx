import type { Metadata } from "next";

import { ApiKey } from "./api-key.tsx";

export const metadata: Metadata = { title: "API key" };

export default async function ApiKeyPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <ApiKey id={id} />;
}
