import type { Metadata } from "next";

import { OnlyWith } from "#app/console/ui/only-with.tsx";

import { NewApiKey } from "./new-api-key.tsx";

export const metadata: Metadata = { title: "Create API key" };

export default function NewApiKeyPage() {
  return (
    <OnlyWith privilege="api_controls" to="create API keys">
      <NewApiKey />
    </OnlyWith>
  );
}
