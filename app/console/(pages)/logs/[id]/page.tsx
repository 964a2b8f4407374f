import type { Metadata } from "next";

import { Log } from "./log.tsx";

export const metadata: Metadata = { title: "Request" };

export default async function LogPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <Log id={id} />;
}
