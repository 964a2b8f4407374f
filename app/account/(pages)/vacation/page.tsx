import type { Metadata } from "next";

import { AutomaticReply } from "./vacation.tsx";

export const metadata: Metadata = { title: "Automatic replies" };

export default function VacationPage() {
  return <AutomaticReply />;
}
