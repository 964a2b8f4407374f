import { expect, test } from "vitest";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aContext, anAdmin } from "#server/testing/factories.ts";

import { auditConsole } from "./audit/console.ts";

test.each(["created", "-created"])(
  "exports the company's entries as JSON, sorted by %s",
  async (sort) => {
    const { id } = await aCompany();
    const cookie = await startSession(db(), (await anAdmin(id, { isOwner: true })).id);
    for (const name of ["Zoë", "b"]) await recordAudit(aContext(id), "domain.added", { name });
    await recordAudit(aContext((await aCompany()).id), "domain.added", { name: "foreign" });
    const query = { format: "json", sort };
    const { body } = await call(auditConsole.export, { cookie, query });
    const entries = JSON.parse(String(body)) as object[];
    const expected = ["Zoë", "b"].map((name) => ({
      id: expect.any(String) as string,
      created_at: expect.any(String) as string,
      actor: "system",
      actor_kind: "system",
      action: "domain.added",
      description: expect.any(String) as string,
      details: { name },
    }));
    expect(entries).toEqual(sort === "created" ? expected : expected.reverse());
  },
);
