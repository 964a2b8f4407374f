import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { eq } from "drizzle-orm";

import { emails } from "#drizzle/schema/index.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { db } from "#server/db/pool.ts";
import { createWebServer } from "#server/web/create-web-server.ts";

import { call } from "./call.ts";
import { anApiKey } from "./factories.ts";
import { send } from "./http-client.ts";
import { PLAIN_HTTP, saying } from "./plain-http.ts";
import { aQueuedEmail, aSender, type Sender } from "./queued-emails.ts";

/** The web server, for requests of tracked links and images. */
export async function aTrackingServer() {
  const elsewhere = saying("not tracking");
  const server = createWebServer(PLAIN_HTTP, { api: elsewhere, pages: elsewhere });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    /** A browser's request, unless `headers` say otherwise. */
    ask: (path: string, headers: Record<string, string> = {}, method = "GET") =>
      send(port, method, path, { headers: { "user-agent": "Mozilla/5.0 Test", ...headers } }),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** A sent email with open and click tracking, unless `changes` say otherwise. */
export async function aTrackedEmail(
  changes: Partial<typeof emails.$inferInsert> = {},
  sender?: Sender,
) {
  const from = sender ?? (await aSender());
  const id = await aQueuedEmail(from, "ann@example.org");
  await db()
    .update(emails)
    .set({ openTracking: true, clickTracking: true, ...changes })
    .where(eq(emails.id, id));
  return { id, sender: from, key: (await anApiKey(from.companyId)).token };
}

type ShownEvent = Record<string, unknown> & { type: string };

/** Opens, clicks and the newest event of an email, as the API shows them. */
export async function shownOf({ id, key }: { id: string; key: string }) {
  const { body: email } = await call(emailsApi.get, { key, params: { id } });
  const query = { limit: "100" };
  const { body: events } = await call(emailsApi.listEvents, { key, params: { id }, query });
  return {
    lastEvent: (email as { last_event: string }).last_event,
    visits: (events as { data: ShownEvent[] }).data.filter(({ type }) =>
      ["email.opened", "email.clicked"].includes(type),
    ),
  };
}
