import type { Metadata } from "next";

export { ConsoleSettings as default } from "./settings.tsx";

export const metadata: Metadata = { title: "Settings" };
