import type { Metadata } from "next";
import { Suspense } from "react";

import { Domains, DomainsSkeleton } from "./domains.tsx";

export const metadata: Metadata = { title: "Domains" };

export default function DomainsPage() {
  return (
    <Suspense fallback={<DomainsSkeleton />}>
      <Domains />
    </Suspense>
  );
}
