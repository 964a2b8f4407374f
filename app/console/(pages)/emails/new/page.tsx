import type { Metadata } from "next";

import { OnlyWith } from "#app/console/ui/only-with.tsx";

import { NewEmail } from "./new-email.tsx";

export const metadata: Metadata = { title: "Compose email" };

export default function NewEmailPage() {
  return (
    <OnlyWith privilege="api_controls" to="send emails">
      <NewEmail />
    </OnlyWith>
  );
}
