import type { Metadata } from "next";

import { DnsHandOver } from "./hand-over.tsx";

export const metadata: Metadata = { title: "DNS records" };

export default async function HandOverPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <DnsHandOver id={id} />;
}
