import { Readable } from "node:stream";

import { expect, test } from "vitest";
import { z } from "zod";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { change, pageEndpoints } from "./endpoint.ts";
import { createRouter } from "./router.ts";

const MB = 1024 * 1024;

test("accepts one large body at a time from the admins of a company", async () => {
  const { id: companyId } = await aCompany();
  const letGo = Promise.withResolvers<{ ok: boolean }>();
  const entered = Promise.withResolvers<null>();
  const { pass } = pageEndpoints("console", "gate", {
    pass: change({
      privilege: null,
      body: z.looseObject({}),
      bodyLimit: "sending",
      handle: () => (entered.resolve(null), letGo.promise),
    }),
  });
  const send = async () => {
    const { id } = await anAdmin(companyId);
    return createRouter([pass])({
      method: "POST",
      path: pass.path,
      query: "",
      address: "127.0.0.1",
      requestId: "test",
      headers: {
        cookie: (await startSession(db(), id)).split(";")[0]!,
        "sec-fetch-site": "same-origin",
      },
      stream: Readable.from([Buffer.from('{"x":"'), Buffer.alloc(2 * MB, "x"), Buffer.from('"}')]),
    });
  };

  const first = send();
  await entered.promise;
  const second = await send();
  expect(second).toMatchObject({ status: 429, error: "rate_limit_exceeded" });
  letGo.resolve({ ok: true });
  expect(await first).toMatchObject({ status: 200 });
});
