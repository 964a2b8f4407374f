import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { NewTemplate } from "#app/console/(pages)/templates/template-form.tsx";

export const metadata: Metadata = { title: "Create template" };

export default function NewTemplatePage() {
  return (
    <RequirePrivilege privilege="api_controls" action="create templates">
      <NewTemplate />
    </RequirePrivilege>
  );
}
