import type { Metadata } from "next";

import { MailLog } from "#app/console/(pages)/mail-log/mail-log.tsx";

export const metadata: Metadata = { title: "Mail log" };

export default function OperatorMailLogPage() {
  return <MailLog area="operate" />;
}
