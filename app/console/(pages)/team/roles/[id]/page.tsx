import type { Metadata } from "next";

import { RoleDetails } from "./role.tsx";

export const metadata: Metadata = { title: "Role" };

export default async function RolePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <RoleDetails id={id} />;
}
