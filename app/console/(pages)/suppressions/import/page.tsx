import type { Metadata } from "next";

import { ImportSuppressions } from "./import-suppressions.tsx";

export const metadata: Metadata = { title: "Import suppressions" };

export default function ImportSuppressionsPage() {
  return <ImportSuppressions />;
}
