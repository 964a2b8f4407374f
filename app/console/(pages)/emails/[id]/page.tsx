import type { Metadata } from "next";

import { EmailDetails } from "./email.tsx";

export const metadata: Metadata = { title: "Email" };

export default async function EmailPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <EmailDetails id={id} />;
}
