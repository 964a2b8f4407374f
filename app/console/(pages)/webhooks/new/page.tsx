import type { Metadata } from "next";

import { OnlyWith } from "#app/console/ui/only-with.tsx";

import { NewWebhook } from "./new-webhook.tsx";

export const metadata: Metadata = { title: "Create webhook" };

export default function NewWebhookPage() {
  return (
    <OnlyWith privilege="api_controls" to="create webhooks">
      <NewWebhook />
    </OnlyWith>
  );
}
