import { titled } from "#app/account/account-texts.ts";

export { SetUpMailApps as default } from "#app/account/set-up-guide.tsx";

export const generateMetadata = titled("setUp");
