import type { Metadata } from "next";

import { NewGroup } from "./new-group.tsx";

export const metadata: Metadata = { title: "Create group" };

export default function NewGroupPage() {
  return <NewGroup />;
}
