import { titled } from "#app/account/account-texts.ts";

export { MailboxTwoFactor as default } from "#app/account/two-factor.tsx";

export const generateMetadata = titled("twoFactor");
