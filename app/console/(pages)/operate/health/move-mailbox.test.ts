import { expect, test } from "vitest";

import { describeMove } from "./move-mailbox.tsx";

const move = {
  mailbox: "ann@x.test",
  from: "mail-1",
  to: "mail-2",
  problem: null,
  requestedAt: "2026-03-04T10:15:00.000Z",
};

test("a move is waiting until all mail is on the new host", () => {
  expect(describeMove({ ...move, stage: "copying" })).toMatchObject({
    tone: "waiting",
    label: "Moving to mail-2",
    text: expect.stringContaining("stays in use on mail-1") as string,
  });
  expect(describeMove({ ...move, stage: "switched" }).tone).toBe("waiting");
  expect(describeMove({ ...move, stage: "moved" })).toMatchObject({
    tone: "done",
    label: "Moved from mail-1",
  });
});

test("after a failed attempt, says why and that Posthouse is retrying", () => {
  const problem = "The connection to mail-2 failed: connect ECONNREFUSED 10.0.0.2:24240";
  expect(describeMove({ ...move, stage: "copying", problem })).toMatchObject({
    tone: "failed",
    label: "Moving to mail-2, delayed",
    text: expect.stringMatching(
      /^The connection to mail-2 failed: .*:24240\. Posthouse is retrying\. /,
    ) as string,
  });
  expect(describeMove({ ...move, stage: "moved", problem }).label).toBe(
    "Moved from mail-1, cleanup delayed",
  );
});
