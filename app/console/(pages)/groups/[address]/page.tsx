import type { Metadata } from "next";

import { GroupDetails } from "#app/console/(pages)/groups/detail.tsx";

export const metadata: Metadata = { title: "Group" };

export default async function GroupPage({ params }: { params: Promise<{ address: string }> }) {
  const { address } = await params;
  return <GroupDetails address={decodeURIComponent(address).toLowerCase()} />;
}
