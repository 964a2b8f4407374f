import { expect, test } from "vitest";

import { chooseStore } from "./restore-mailbox.ts";

const STORES = {
  "example.com/ann-00000001": 5,
  "example.com/ann-00000002": 9,
  "example.com/ann-marie-00000003": 20,
};

const choose = (address: string, { store = "example.com/new-00000009", used = [] as string[] }) =>
  chooseStore(STORES, { address, store, used: [store, ...used] });

test("a mailbox that the backup has is restored from its own store, whatever its address was", () => {
  const store = "example.com/ann-00000001";
  expect(choose("marsh@example.com", { store })).toBe(store);
});

test("a mailbox that was created again is restored from the largest store of an earlier one", () => {
  expect(choose("ann@example.com", {})).toBe("example.com/ann-00000002");
});

test("no mailbox is restored from the store of another one, which may have had its address", () => {
  const renamed = ["example.com/ann-00000002"];
  expect(choose("ann@example.com", { used: renamed })).toBe("example.com/ann-00000001");
  const used = [...renamed, "example.com/ann-00000001"];
  expect(() => choose("ann@example.com", { used })).toThrow("has no mail of ann@example.com");
});
