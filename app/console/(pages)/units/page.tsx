import type { Metadata } from "next";

export { Units as default } from "./units.tsx";

export const metadata: Metadata = { title: "Units" };
