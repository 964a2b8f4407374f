import type { Metadata } from "next";

import { NewWebhook } from "./new-webhook.tsx";

export const metadata: Metadata = { title: "Create webhook" };

export default function NewWebhookPage() {
  return <NewWebhook />;
}
