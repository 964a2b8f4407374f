import type { Metadata } from "next";

import { Limits } from "./limits.tsx";

export const metadata: Metadata = { title: "Limits" };

export default function LimitsPage() {
  return <Limits />;
}
