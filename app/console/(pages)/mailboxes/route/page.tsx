import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { MailRoute } from "./mail-route.tsx";

export const metadata: Metadata = { title: "Where does this address go?" };

export default function MailRoutePage() {
  return (
    <RequirePrivilege privilege="view_users" action="see where mail goes">
      <MailRoute />
    </RequirePrivilege>
  );
}
