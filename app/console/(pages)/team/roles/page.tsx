import type { Metadata } from "next";
import { Suspense } from "react";

import { Roles, RolesSkeleton } from "./roles.tsx";

export const metadata: Metadata = { title: "Roles" };

export default function RolesPage() {
  return (
    <Suspense fallback={<RolesSkeleton />}>
      <Roles />
    </Suspense>
  );
}
