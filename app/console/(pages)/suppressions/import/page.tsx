import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { ImportSuppressions } from "./import-suppressions.tsx";

export const metadata: Metadata = { title: "Import suppressions" };

export default function ImportSuppressionsPage() {
  return (
    <RequirePrivilege privilege="api_controls" action="import suppressions">
      <ImportSuppressions />
    </RequirePrivilege>
  );
}
