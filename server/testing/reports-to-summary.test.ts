import { gzipSync } from "node:zlib";

import { createTransport } from "nodemailer";
import { expect, test } from "vitest";

import {
  summarizeDmarcReports,
  summarizeTlsReports,
} from "#server/core/mail/reports/report-summaries.ts";

import { MX_HOSTNAME, mxListeners } from "./an-mx-listener.ts";
import { aCompany, aContext, aDomain } from "./factories.ts";
import { aDmarcXml, aTlsJson } from "./reports.ts";

const anMxListener = mxListeners();

test("reports sent to the appliance appear for their domain, over TLS and once", async () => {
  const { port } = await anMxListener();
  const domain = await aDomain((await aCompany()).id);
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
  });
  const send = (filename: string, content: Buffer) =>
    transport.sendMail({
      envelope: { from: "noreply-dmarc-support@google.test", to: `reports@${MX_HOSTNAME}` },
      subject: `Report domain: ${domain.name} Submitter: google.com`,
      text: "This is an aggregate report.",
      attachments: [{ filename, content }],
    });
  const dmarc = gzipSync(aDmarcXml({ domain: domain.name, rows: [{ count: 41 }, { count: 1 }] }));
  for (const content of [dmarc, dmarc])
    expect((await send("google.com!report.xml.gz", content)).response).toBe("250 2.0.0 Accepted");
  await send("google.com!report.json.gz", gzipSync(aTlsJson({ domain: domain.name, failed: 2 })));
  transport.close();

  const ctx = aContext(domain.companyId);
  expect(await summarizeDmarcReports(ctx, domain.id, { days: 7 })).toMatchObject({
    messages: 42,
    passed: 42,
    reporters: ["google.com"],
    policy: "none",
    sources: [{ sourceIp: "192.0.2.1", messages: 42 }],
  });
  expect(await summarizeTlsReports(ctx, domain.id, { days: 7 })).toMatchObject({
    successful: 1,
    failed: 2,
  });
});
