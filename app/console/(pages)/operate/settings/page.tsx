import type { Metadata } from "next";

export { ServerSettingsPage as default } from "./server-settings.tsx";

export const metadata: Metadata = { title: "Server settings" };
