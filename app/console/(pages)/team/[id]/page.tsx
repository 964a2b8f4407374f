import type { Metadata } from "next";

import { Person } from "./person.tsx";

export const metadata: Metadata = { title: "Team" };

export default async function PersonPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <Person id={id} />;
}
