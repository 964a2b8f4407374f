import type { Metadata } from "next";
import { Suspense } from "react";

import { CompanyDetails, CompanySkeleton } from "./company.tsx";

export const metadata: Metadata = { title: "Company" };

export default async function CompanyPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <Suspense fallback={<CompanySkeleton />}>
      <CompanyDetails id={id} />
    </Suspense>
  );
}
