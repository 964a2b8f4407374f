import type { Metadata } from "next";

import { Filters } from "./filters.tsx";

export const metadata: Metadata = { title: "Filters" };

export default function FiltersPage() {
  return <Filters />;
}
