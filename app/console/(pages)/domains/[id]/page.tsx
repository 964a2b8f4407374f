import type { Metadata } from "next";
import { Suspense } from "react";

import { DomainDetails, DomainSkeleton } from "./domain.tsx";

export const metadata: Metadata = { title: "Domain" };

export default async function DomainPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <Suspense fallback={<DomainSkeleton />}>
      <DomainDetails id={id} />
    </Suspense>
  );
}
