import type { Metadata } from "next";

import { Plans } from "./plans.tsx";

export const metadata: Metadata = { title: "Plans" };

export default function PlansPage() {
  return <Plans />;
}
