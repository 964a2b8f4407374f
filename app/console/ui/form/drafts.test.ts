import { beforeEach, expect, test, vi } from "vitest";

import { claimDrafts, clearDrafts, readDraft, writeDraft } from "./drafts.ts";

const initial = { name: "", password: "" };

/** The part of the browser's storage that drafts use; entries are own properties there, too. */
class FakeStorage {
  [key: string]: unknown;
  getItem(key: string) {
    return this[key] ?? null;
  }
  setItem(key: string, value: string) {
    this[key] = value;
  }
  removeItem(key: string) {
    // oxlint-disable-next-line typescript/no-dynamic-delete
    delete this[key];
  }
}

beforeEach(() => {
  vi.stubGlobal("sessionStorage", new FakeStorage());
  return () => vi.unstubAllGlobals();
});

test("keeps what was typed, without passwords", () => {
  writeDraft("a", { initial, values: { name: "Ann", password: "correct horse" } });
  expect(readDraft("a", initial)).toEqual({ name: "Ann", password: "" });
  expect(JSON.stringify(sessionStorage)).not.toContain("horse");
});

test("isn't used for an object that has changed since", () => {
  writeDraft("a", { initial, values: { ...initial, name: "Ann" } });
  expect(readDraft("a", { ...initial, name: "Ben" })).toBeNull();
});

test("is gone when nothing differs anymore", () => {
  writeDraft("a", { initial, values: { ...initial, name: "Ann" } });
  writeDraft("a", { initial, values: initial });
  expect(readDraft("a", initial)).toBeNull();
});

test("only the same person gets drafts back", () => {
  claimDrafts("ann@a.test");
  writeDraft("a", { initial, values: { ...initial, name: "Ann" } });
  claimDrafts("ann@a.test");
  expect(readDraft("a", initial)).not.toBeNull();
  claimDrafts("ben@a.test");
  expect(readDraft("a", initial)).toBeNull();
});

test("all are deleted at sign-out", () => {
  writeDraft("a", { initial, values: { ...initial, name: "Ann" } });
  clearDrafts();
  expect(readDraft("a", initial)).toBeNull();
});

test("works without storage", () => {
  vi.stubGlobal("sessionStorage", undefined);
  writeDraft("a", { initial, values: { ...initial, name: "Ann" } });
  claimDrafts("ann@a.test");
  expect(readDraft("a", initial)).toBeNull();
});

test("a damaged draft is ignored", () => {
  sessionStorage.setItem("draft:a", "{");
  expect(readDraft("a", initial)).toBeNull();
});
