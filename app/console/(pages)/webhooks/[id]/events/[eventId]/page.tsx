import type { Metadata } from "next";

export { WebhookEventDetails as default } from "./webhook-event.tsx";

export const metadata: Metadata = { title: "Webhook event" };
