import type { Metadata } from "next";
import { Suspense } from "react";

import { Team, TeamSkeleton } from "./team.tsx";

export const metadata: Metadata = { title: "Team" };

export default function TeamPage() {
  return (
    <Suspense fallback={<TeamSkeleton />}>
      <Team />
    </Suspense>
  );
}
