import type { Metadata } from "next";

export { Profile as default } from "./profile.tsx";

export const metadata: Metadata = { title: "Your profile" };
