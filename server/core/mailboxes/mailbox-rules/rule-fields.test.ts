import { expect, test } from "vitest";

import { checkForwarding } from "./rule-fields.ts";

test("keeps the local part as written and removes duplicates, ignoring case", () => {
  expect(checkForwarding(["Bob.Lee@There.test"], [])).toEqual(["Bob.Lee@there.test"]);
  expect(checkForwarding(["bob@there.test", "Bob@there.test"], [])).toHaveLength(1);
  expect(() => checkForwarding(["Ann+x@here.test"], ["ann@here.test"])).toThrow("itself");
});
