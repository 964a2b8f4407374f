import { titled } from "#app/account/account-texts.ts";

export { AppPasswords as default } from "./app-passwords.tsx";

export const generateMetadata = titled("appPasswords");
