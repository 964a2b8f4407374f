import type { Metadata } from "next";
import { Suspense } from "react";

import { Webhook } from "./webhook.tsx";
import { WebhookSkeleton } from "./webhook-skeleton.tsx";

export const metadata: Metadata = { title: "Webhook" };

export default async function WebhookPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <Suspense fallback={<WebhookSkeleton />}>
      <Webhook id={id} />
    </Suspense>
  );
}
