import type { Metadata } from "next";

export { Companies as default } from "./companies.tsx";

export const metadata: Metadata = { title: "Companies" };
