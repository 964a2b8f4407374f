import type { Metadata } from "next";

export { SetUpMailApps as default } from "#app/account/set-up-guide.tsx";

export const metadata: Metadata = { title: "Set up mail apps" };
