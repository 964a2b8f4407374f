import { afterEach, expect, test, vi } from "vitest";

import { settings } from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { outgoingScans, scanOf, setOutgoingScan } from "./outgoing-scan.ts";

afterEach(async () => {
  vi.restoreAllMocks();
  await db().delete(settings);
});

test("companies that chose less do the least that the operator allows, and can only choose more", async () => {
  const [off, reject, hold] = await Promise.all(
    (["off", "reject", "hold"] as const).map(async (scan) => {
      const { id } = await aCompany();
      await setOutgoingScan(aContext(id), scan);
      return id;
    }),
  );
  await changeSetting(db(), "outgoing_scan_minimum", "reject");
  // Clears the cache.
  await setOutgoingScan(aContext(hold!), "hold");
  const scans = await outgoingScans(db());
  expect([off!, reject!, hold!].map((id) => scanOf(scans, id))).toEqual([
    "reject",
    "reject",
    "hold",
  ]);

  await expect(setOutgoingScan(aContext(hold!), "off")).rejects.toMatchObject({
    reason: "invalid",
    message: 'outgoing_scan: The operator requires at least "reject"',
  });
  await setOutgoingScan(aContext(hold!), "reject");
  await setOutgoingScan(aContext(off!), "hold");
  expect(scanOf(await outgoingScans(db()), off!)).toBe("hold");
});

test("without the database, the companies are those of the last read", async () => {
  const { id: companyId } = await aCompany();
  await setOutgoingScan(aContext(companyId), "hold");
  expect(scanOf(await outgoingScans(db()), companyId)).toBe("hold");

  // Nothing listens there.
  const lost = connect("postgres://posthouse@127.0.0.1:9/posthouse");
  const later = performance.now() + 60_000;
  vi.spyOn(performance, "now").mockReturnValue(later);
  expect(scanOf(await outgoingScans(lost.db), companyId)).toBe("hold");
  await lost.close();
});
