import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { MailLog } from "./mail-log.tsx";

export const metadata: Metadata = { title: "Mail log" };

export default function MailLogPage() {
  return (
    <RequirePrivilege privilege="view_users" action="view the mail log">
      <MailLog area="company" />
    </RequirePrivilege>
  );
}
