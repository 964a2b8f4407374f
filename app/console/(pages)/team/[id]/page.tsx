import type { Metadata } from "next";

import { AdminDetails } from "./admin.tsx";

export const metadata: Metadata = { title: "Admin" };

export default async function AdminPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <AdminDetails id={id} />;
}
