import type { Metadata } from "next";

export { AutomaticReply as default } from "./vacation.tsx";

export const metadata: Metadata = { title: "Automatic replies" };
