import { expect, test } from "vitest";

import { parseMailboxCommand, resultItems, type SearchResult } from "./commands.ts";

test.each([
  ["reset password for ann@x.example", "reset_password", "ann@x.example"],
  ["Reset ann", "reset_password", "ann"],
  ["suspend  Ann Lee ", "suspend", "Ann Lee"],
  ["restore mailbox ann", "restore", "ann"],
  ["suspend", null, "suspend"],
  ["suspended ann", null, "suspended ann"],
  ["  ann ", null, "ann"],
])("%j is %j of %j", (query, action, text) => {
  expect(parseMailboxCommand(query)).toEqual({ action, text });
});

const mailbox = (id: string, ...actions: SearchResult["actions"]): SearchResult => ({
  kind: "mailbox",
  id,
  title: id,
  detail: "",
  actions,
});

const found: SearchResult[] = [
  { kind: "group", id: "team@x.example", title: "team@x.example", detail: "", actions: [] },
  mailbox("ann@x.example", "reset_password", "suspend"),
  mailbox("ben@x.example", "restore"),
  mailbox("cy@x.example", "reset_password", "suspend"),
];

test("the first mailbox comes before its actions", () => {
  expect(resultItems(found, null).map(({ label }) => label)).toEqual([
    "team@x.example",
    "ann@x.example",
    "Reset password for ann@x.example",
    "Suspend ann@x.example",
    "ben@x.example",
    "cy@x.example",
  ]);
});

test("a typed action is offered for every mailbox that allows it", () => {
  expect(resultItems(found, "suspend")).toEqual([
    {
      label: "Suspend ann@x.example",
      href: "/console/mailboxes/ann%40x.example?tab=settings&do=suspend",
    },
    {
      label: "Suspend cy@x.example",
      href: "/console/mailboxes/cy%40x.example?tab=settings&do=suspend",
    },
  ]);
  expect(resultItems(found, "restore")).toEqual([
    {
      label: "Restore ben@x.example",
      href: "/console/mailboxes/ben%40x.example?tab=settings",
    },
  ]);
});
