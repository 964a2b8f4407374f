import type { Metadata } from "next";

export { DeletedItems as default } from "./list.tsx";

export const metadata: Metadata = { title: "Deleted" };
