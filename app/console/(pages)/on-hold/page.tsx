import type { Metadata } from "next";

import { OnHold } from "./on-hold.tsx";

export const metadata: Metadata = { title: "On hold" };

export default function OnHoldPage() {
  return <OnHold />;
}
