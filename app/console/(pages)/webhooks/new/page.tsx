import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { NewWebhook } from "./new-webhook.tsx";

export const metadata: Metadata = { title: "Create webhook" };

export default function NewWebhookPage() {
  return (
    <RequirePrivilege privilege="api_controls" action="create webhooks">
      <NewWebhook />
    </RequirePrivilege>
  );
}
