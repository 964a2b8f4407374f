import type { Metadata } from "next";

export { TemplatePage as default } from "./template-page.tsx";

export const metadata: Metadata = { title: "Template" };
