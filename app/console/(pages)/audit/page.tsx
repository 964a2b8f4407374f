import type { Metadata } from "next";
import { Suspense } from "react";

import { Audit, AuditSkeleton } from "./audit.tsx";

export const metadata: Metadata = { title: "Audit log" };

export default function AuditPage() {
  return (
    <Suspense fallback={<AuditSkeleton />}>
      <Audit />
    </Suspense>
  );
}
