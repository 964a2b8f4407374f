import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { NewEmail } from "./new-email.tsx";

export const metadata: Metadata = { title: "Compose email" };

export default function NewEmailPage() {
  return (
    <RequirePrivilege privilege="api_controls" action="send emails">
      <NewEmail />
    </RequirePrivilege>
  );
}
