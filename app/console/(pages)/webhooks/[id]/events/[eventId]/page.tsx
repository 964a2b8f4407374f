import type { Metadata } from "next";

import { WebhookEvent } from "./webhook-event.tsx";

export const metadata: Metadata = { title: "Webhook event" };

type Params = Promise<{ id: string; eventId: string }>;

export default async function WebhookEventPage({ params }: { params: Params }) {
  const { id, eventId } = await params;
  return <WebhookEvent path={{ id, eventId }} />;
}
