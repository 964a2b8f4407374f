import type { Metadata } from "next";
import { Suspense } from "react";

import { Groups, GroupsSkeleton } from "./groups.tsx";

export const metadata: Metadata = { title: "Groups" };

export default function GroupsPage() {
  return (
    <Suspense fallback={<GroupsSkeleton />}>
      <Groups />
    </Suspense>
  );
}
