import { titled } from "#app/account/account-texts.ts";

export { MailFilters as default } from "./filters.tsx";

export const generateMetadata = titled("filters");
