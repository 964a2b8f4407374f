import type { Metadata } from "next";

export { CompanyDetails as default } from "./company.tsx";

export const metadata: Metadata = { title: "Company" };
