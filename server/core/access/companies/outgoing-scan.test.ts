import { afterEach, expect, test, vi } from "vitest";

import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { scanningCompanies, setOutgoingScan } from "./outgoing-scan.ts";

afterEach(() => void vi.restoreAllMocks());

test("without the database, the companies are those of the last read", async () => {
  const { id: companyId } = await aCompany();
  await setOutgoingScan(aContext(companyId), "hold");
  expect((await scanningCompanies(db())).get(companyId)).toBe("hold");

  // Nothing listens there.
  const lost = connect("postgres://posthouse@127.0.0.1:9/posthouse");
  const later = performance.now() + 60_000;
  vi.spyOn(performance, "now").mockReturnValue(later);
  expect((await scanningCompanies(lost.db)).get(companyId)).toBe("hold");
  await lost.close();
});
