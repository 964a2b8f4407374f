import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { NewApiKey } from "#app/console/(pages)/api-keys/api-key-form.tsx";

export const metadata: Metadata = { title: "Create API key" };

export default function NewApiKeyPage() {
  return (
    <RequirePrivilege privilege="api_controls" action="create API keys">
      <NewApiKey />
    </RequirePrivilege>
  );
}
