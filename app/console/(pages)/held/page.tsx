import type { Metadata } from "next";

import { Held } from "./held.tsx";

export const metadata: Metadata = { title: "Held mail" };

export default function HeldPage() {
  return <Held />;
}
