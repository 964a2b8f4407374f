import type { Metadata } from "next";
import { Suspense } from "react";

import { Company } from "./company.tsx";
import { CompanySkeleton } from "./company-skeleton.tsx";

export const metadata: Metadata = { title: "Company" };

export default async function CompanyPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <Suspense fallback={<CompanySkeleton />}>
      <Company id={id} />
    </Suspense>
  );
}
