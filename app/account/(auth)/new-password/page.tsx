import { titled } from "#app/account/account-texts.ts";

export { ReplaceTemporaryPassword as default } from "#app/account/passwords.tsx";

export const generateMetadata = titled("password.replace");
