import { titled } from "#app/account/account-texts.ts";

export { Forwarding as default } from "./forwarding.tsx";

export const generateMetadata = titled("forwarding");
