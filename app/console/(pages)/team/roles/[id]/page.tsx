import type { Metadata } from "next";

import { RoleDetails } from "#app/console/(pages)/team/roles/detail.tsx";

export const metadata: Metadata = { title: "Role" };

export default async function RolePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <RoleDetails id={id} />;
}
