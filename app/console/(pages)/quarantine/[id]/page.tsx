import type { Metadata } from "next";

import { QuarantinedMessage } from "./quarantined-message.tsx";

export const metadata: Metadata = { title: "Quarantined message" };

export default async function QuarantinedMessagePage({
  params,
}: {
  params: Promise<{ id: string }>;
}) {
  const { id } = await params;
  return <QuarantinedMessage id={id} />;
}
