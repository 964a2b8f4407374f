import type { Metadata } from "next";

export { AppPasswords as default } from "./app-passwords.tsx";

export const metadata: Metadata = { title: "App passwords" };
