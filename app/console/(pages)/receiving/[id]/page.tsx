import type { Metadata } from "next";

import { ReceivedEmail } from "./received-email.tsx";

export const metadata: Metadata = { title: "Received email" };

export default async function ReceivedEmailPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <ReceivedEmail id={id} />;
}
