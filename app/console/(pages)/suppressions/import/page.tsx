import type { Metadata } from "next";

import { OnlyWith } from "#app/console/ui/only-with.tsx";

import { ImportSuppressions } from "./import-suppressions.tsx";

export const metadata: Metadata = { title: "Import suppressions" };

export default function ImportSuppressionsPage() {
  return (
    <OnlyWith privilege="api_controls" to="import suppressions">
      <ImportSuppressions />
    </OnlyWith>
  );
}
