import type { Metadata } from "next";
import { Suspense } from "react";

import { DomainListSkeleton } from "./domain-list.tsx";
import { Domains } from "./domains.tsx";

export const metadata: Metadata = { title: "Domains" };

export default function DomainsPage() {
  return (
    <Suspense fallback={<DomainListSkeleton />}>
      <Domains />
    </Suspense>
  );
}
