import type { Metadata } from "next";
import { Suspense } from "react";

import { Companies, CompaniesSkeleton } from "./companies.tsx";

export const metadata: Metadata = { title: "Companies" };

export default function CompaniesPage() {
  return (
    <Suspense fallback={<CompaniesSkeleton />}>
      <Companies />
    </Suspense>
  );
}
