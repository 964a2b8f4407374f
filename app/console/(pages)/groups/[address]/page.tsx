import type { Metadata } from "next";
import { Suspense } from "react";

import { GroupSkeleton } from "./group-skeleton.tsx";
import { GroupDetails } from "./group-details.tsx";

export const metadata: Metadata = { title: "Group" };

export default async function GroupPage({ params }: { params: Promise<{ address: string }> }) {
  const { address } = await params;
  return (
    <Suspense fallback={<GroupSkeleton />}>
      <GroupDetails address={decodeURIComponent(address).toLowerCase()} />
    </Suspense>
  );
}
