import type { Metadata } from "next";

import { NewCompany } from "./new-company.tsx";

export const metadata: Metadata = { title: "Create company" };

export default function NewCompanyPage() {
  return <NewCompany />;
}
