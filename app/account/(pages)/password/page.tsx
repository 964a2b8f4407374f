import { titled } from "#app/account/account-texts.ts";

export { ChangeMailboxPassword as default } from "#app/account/passwords.tsx";

export const generateMetadata = titled("password");
