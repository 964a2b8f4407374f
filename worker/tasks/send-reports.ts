import { config } from "#server/config.ts";
import { sendDmarcReports } from "#server/core/mail/sent-reports/send-dmarc-reports.ts";
import { sendTlsReports } from "#server/core/mail/sent-reports/send-tls-reports.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { createOutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { defineTask } from "#worker/define-task.ts";

/** TLS and DMARC reports of past days. Safe to run concurrently: each report has one id. */
export const sendReportsTask = defineTask("send_reports", async () => {
  const resolver = createResolver(config());
  const http = createOutgoingHttp({ resolver, allowedPrivate: [] });
  try {
    await sendTlsReports(db(), { resolver, http });
    await sendDmarcReports(db(), { resolver, http });
  } finally {
    await http.close();
  }
});
