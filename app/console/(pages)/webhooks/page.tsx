import type { Metadata } from "next";
import { Suspense } from "react";

import { Webhooks, WebhooksSkeleton } from "./webhooks.tsx";

export const metadata: Metadata = { title: "Webhooks" };

export default function WebhooksPage() {
  return (
    <Suspense fallback={<WebhooksSkeleton />}>
      <Webhooks />
    </Suspense>
  );
}
