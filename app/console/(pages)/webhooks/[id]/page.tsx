import type { Metadata } from "next";

export { WebhookDetails as default } from "./webhook.tsx";

export const metadata: Metadata = { title: "Webhook" };
