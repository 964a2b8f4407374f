import type { Metadata } from "next";

import { QuarantinedMessage } from "./quarantined-message.tsx";

export const metadata: Metadata = { title: "Quarantined message" };

type QuarantinedMessagePageProps = { params: Promise<{ id: string }> };

export default async function QuarantinedMessagePage({ params }: QuarantinedMessagePageProps) {
  const { id } = await params;
  return <QuarantinedMessage id={id} />;
}
