import { expect, test } from "vitest";

import { mailChanges } from "./mail-filter-form.tsx";

const stored = { greylisting: false, outgoingScan: "off", mailboxes: 306 } as const;

test.each([
  [{}, []],
  [
    { greylisting: true },
    ["Turn on greylisting for 306 mailboxes: mail from new senders arrives minutes later"],
  ],
  [{ outgoingScan: "reject" as const }, ["Reject spam from 306 mailboxes and the API"]],
  [
    { outgoingScan: "hold" as const },
    ["Any of 306 mailboxes that sends spam is put on hold; spam sent through the API fails"],
  ],
])("says what saving changes: %o", (change, texts) => {
  expect(mailChanges({ ...stored, ...change }, stored).map(({ text }) => text)).toEqual(texts);
});

test("says that scanning ends, next to other changes", () => {
  const now = { ...stored, greylisting: true, outgoingScan: "hold" as const };
  expect(mailChanges({ greylisting: false, outgoingScan: "off" }, now)).toMatchObject([
    { text: "Turn off greylisting for 306 mailboxes" },
    { text: "Stop scanning mail from 306 mailboxes and the API" },
  ]);
});
