import type { Metadata } from "next";
import { Suspense } from "react";

import { ApiKeys, ApiKeysSkeleton } from "./api-keys.tsx";

export const metadata: Metadata = { title: "API keys" };

export default function ApiKeysPage() {
  return (
    <Suspense fallback={<ApiKeysSkeleton />}>
      <ApiKeys />
    </Suspense>
  );
}
