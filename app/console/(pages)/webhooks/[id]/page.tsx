import type { Metadata } from "next";
import { Suspense } from "react";

import { Webhook, WebhookSkeleton } from "./webhook.tsx";

export const metadata: Metadata = { title: "Webhook" };

export default async function WebhookPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <Suspense fallback={<WebhookSkeleton />}>
      <Webhook id={id} />
    </Suspense>
  );
}
