import type { Metadata } from "next";

import { MailFilters } from "./filters.tsx";

export const metadata: Metadata = { title: "Filters" };

export default function FiltersPage() {
  return <MailFilters />;
}
