import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import ipaddr from "ipaddr.js";
import { pino } from "pino";
import { expect, test, vi } from "vitest";

import { notificationSettings, settings } from "#drizzle/schema/index.ts";
import { readConfig } from "#server/config.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { createOutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { anHttpsReceiver } from "#server/testing/https-receiver.ts";

import { startDatabaseAlarm } from "./watch-database.ts";

test("notifies operators once, also at their own URLs, while the database doesn't respond, and when it does again", async () => {
  const posted: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posted.push(body);
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver = await anHttpsReceiver();
  const http = createOutgoingHttp({
    resolver: createResolver({ dnsServers: [] }),
    allowedPrivate: [ipaddr.parseCIDR("127.0.0.0/8"), ipaddr.parseCIDR("::1/128")],
    ca: receiver.certificate,
  });
  const { email } = await anAdmin((await aCompany()).id, { isOperator: true });
  await db()
    .insert(notificationSettings)
    .values({ email, sealedUrl: seal("notification_url", receiver.url), urlFormat: "json" });
  await db().delete(settings);
  await changeSetting(db(), "alarm_email", "off");
  const { port } = server.address() as AddressInfo;
  await changeSetting(db(), "alarm_webhook_url", `http://127.0.0.1:${port}/`);

  let isGone = false;
  let asked = 0;
  const answering = (name: PropertyKey) => {
    asked++;
    return Reflect.get(db(), name) as unknown;
  };
  // Queries hang, as with a database that has no more disk space.
  const hanging = new Proxy(db(), {
    get: (_, name) => (isGone ? () => new Promise(() => {}) : answering(name)),
  });
  const broken = new Proxy(db(), {
    get: (_, name) => {
      if (isGone) throw new Error("connection refused");
      return answering(name);
    },
  });
  for (const database of [broken, hanging]) {
    posted.length = 0;
    receiver.received.length = 0;
    isGone = false;
    asked = 0;
    const watching = startDatabaseAlarm({
      db: database,
      config: readConfig({}),
      log: pino({ level: "silent" }),
      http,
      outageMs: 300,
      askEveryMs: 20,
    });
    // Each time, it asks twice.
    await vi.waitFor(() => expect(asked).toBeGreaterThan(4));
    isGone = true;
    await vi.waitFor(() => expect(posted).toHaveLength(1));
    expect(JSON.parse(posted[0]!)).toMatchObject({
      raised: [{ name: "database", severity: "critical", clearedAt: null }],
      cleared: [],
    });
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      kind: "alarm",
      subject: expect.stringContaining("database doesn't respond") as string,
    });
    if (database === broken) {
      isGone = false;
      await vi.waitFor(() => expect(posted).toHaveLength(2));
      expect(JSON.parse(posted[1]!)).toMatchObject({ raised: [], cleared: [{ name: "database" }] });
      await vi.waitFor(() => expect(receiver.received).toHaveLength(2));
    }
    await watching.stop();
  }
  await db().delete(settings);
  server.close();
  await http.close();
  await receiver.close();
});
