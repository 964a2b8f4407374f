import type { Metadata } from "next";
import { Suspense } from "react";

import { GroupSkeleton } from "./group-skeleton.tsx";
import { MailGroup } from "./mail-group.tsx";

export const metadata: Metadata = { title: "Group" };

export default async function GroupPage({ params }: { params: Promise<{ address: string }> }) {
  const { address } = await params;
  return (
    <Suspense fallback={<GroupSkeleton />}>
      <MailGroup address={decodeURIComponent(address).toLowerCase()} />
    </Suspense>
  );
}
