import type { Metadata } from "next";

export { ErasePerson as default } from "./erase-person.tsx";

export const metadata: Metadata = { title: "Data erasure" };
