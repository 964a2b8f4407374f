import type { Metadata } from "next";
import { Suspense } from "react";

import { Templates, TemplatesSkeleton } from "./templates.tsx";

export const metadata: Metadata = { title: "Templates" };

export default function TemplatesPage() {
  return (
    <Suspense fallback={<TemplatesSkeleton />}>
      <Templates />
    </Suspense>
  );
}
