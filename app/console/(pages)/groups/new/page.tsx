import type { Metadata } from "next";

import { OnlyWith } from "#app/console/ui/only-with.tsx";

import { NewGroup } from "./new-group.tsx";

export const metadata: Metadata = { title: "Create group" };

export default function NewGroupPage() {
  return (
    <OnlyWith privilege="manage_groups" to="create groups">
      <NewGroup />
    </OnlyWith>
  );
}
