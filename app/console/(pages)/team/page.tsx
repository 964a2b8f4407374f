import type { Metadata } from "next";

export { Team as default } from "./list.tsx";

export const metadata: Metadata = { title: "Team" };
