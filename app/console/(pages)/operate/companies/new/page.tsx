import type { Metadata } from "next";

export { CreateCompany as default } from "./new-company.tsx";

export const metadata: Metadata = { title: "Create company" };
