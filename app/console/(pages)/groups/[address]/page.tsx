import { Skeleton } from "@mantine/core";
import type { Metadata } from "next";
import { Suspense } from "react";

import { MailGroup } from "./mail-group.tsx";

export const metadata: Metadata = { title: "Group" };

export default async function GroupPage({ params }: { params: Promise<{ address: string }> }) {
  const { address } = await params;
  return (
    <Suspense fallback={<Skeleton height={240} />}>
      <MailGroup address={decodeURIComponent(address).toLowerCase()} />
    </Suspense>
  );
}
