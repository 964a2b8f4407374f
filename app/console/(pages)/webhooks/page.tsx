import type { Metadata } from "next";
import { Suspense } from "react";

import { WebhookListSkeleton } from "./webhook-list.tsx";
import { Webhooks } from "./webhooks.tsx";

export const metadata: Metadata = { title: "Webhooks" };

export default function WebhooksPage() {
  return (
    <Suspense fallback={<WebhookListSkeleton />}>
      <Webhooks />
    </Suspense>
  );
}
