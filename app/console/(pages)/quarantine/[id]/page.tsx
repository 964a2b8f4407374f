import type { Metadata } from "next";

import { HeldMessage } from "./held-message.tsx";

export const metadata: Metadata = { title: "Held message" };

export default async function HeldMessagePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <HeldMessage id={id} />;
}
