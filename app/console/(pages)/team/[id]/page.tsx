import type { Metadata } from "next";

import { AdminDetails } from "#app/console/(pages)/team/detail.tsx";

export const metadata: Metadata = { title: "Admin" };

export default async function AdminPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <AdminDetails id={id} />;
}
