import { titled } from "#app/account/account-texts.ts";

import { Connect } from "./connect.tsx";

export const generateMetadata = titled("connect");

export default function ConnectPage() {
  return <Connect />;
}
