import { expect, test } from "vitest";

import type { MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";

import { type BulkActionName, BULK_ACTIONS, type BulkActionInput } from "./bulk-actions.ts";

const mailbox: MailboxRow = {
  id: "ann@example.com",
  name: "Ann",
  active: true,
  sendingHeld: false,

  forcePasswordChange: false,
  passwordChangeDue: false,
  acceptsPassword: true,
  quotaMb: 1_024,
  usedBytes: 600 * 1_048_576,
  messages: 1_204,
  lastSignInAt: null,
  lastMailAppAt: null,
  orgUnit: { id: 2, name: "Sales" },
  may: { update: true, suspend: true, reset_password: true },
};
const none = { update: false, suspend: false, reset_password: false };
const sales = { id: 2, name: "Sales" };
const berlin = { id: 3, name: "Berlin" };

test.each<[BulkActionName, Partial<MailboxRow>, BulkActionInput, boolean, string]>([
  ["suspend", {}, {}, true, "Will be suspended"],
  ["suspend", { active: false }, {}, false, "Skipped: already suspended"],
  ["suspend", { may: none }, {}, false, "Skipped: you don’t have the privilege in Sales"],
  ["restore", { active: false }, {}, true, "Will be restored"],
  ["restore", {}, {}, false, "Skipped: not suspended"],
  [
    "restore",
    { active: false, may: none },
    {},
    false,
    "Skipped: you don’t have the privilege in Sales",
  ],
  ["reset", {}, {}, true, "Will get a temporary password"],
  ["reset", { acceptsPassword: false }, {}, false, "Skipped: single sign-on is required"],
  ["reset", { may: none }, {}, false, "Skipped: you don’t have the privilege in Sales"],
  ["move", {}, {}, true, "Currently in Sales"],
  ["move", {}, { unit: berlin }, true, "From Sales to Berlin"],
  ["move", {}, { unit: sales }, false, "Skipped: already in Sales"],
  [
    "move",
    { may: none },
    { unit: berlin },
    false,
    "Skipped: you don’t have the privilege in Sales",
  ],
  ["resize", {}, {}, true, "Currently 1 GB"],
  ["resize", {}, { sizeMb: 2_048 }, true, "From 1 GB to 2 GB"],
  ["resize", {}, { sizeMb: 1_024 }, false, "Skipped: already 1 GB"],
  ["resize", {}, { sizeMb: 512 }, true, "From 1 GB to 512 MB: uses 600 MB, will be full"],
  [
    "resize",
    { may: none },
    { sizeMb: 512 },
    false,
    "Skipped: you don’t have the privilege in Sales",
  ],
  ["delete", {}, {}, true, "1,204 messages, 600 MB"],
  ["delete", { messages: 0 }, {}, true, "No mail"],
])("%s of %j with %j", (name, change, choice, isIncluded, words) => {
  expect(BULK_ACTIONS[name].preview({ ...mailbox, ...change }, choice)).toEqual({
    isIncluded,
    words,
  });
});
