import { afterEach, expect, test, vi } from "vitest";

import { toggleSort } from "./list-params.ts";

const location = { pathname: "/console/mailboxes", search: "" };
const pushState = (_: unknown, __: string, url: string) => {
  location.search = url.startsWith("?") ? url : "";
};

afterEach(() => vi.unstubAllGlobals());

test("a second click on a column header reverses the order, even before the page has shown the first", () => {
  vi.stubGlobal("window", { location, history: { pushState } });
  toggleSort("name", "address");
  expect(location.search).toBe("?sort=name");
  toggleSort("name", "address");
  expect(location.search).toBe("?sort=-name");
  toggleSort("address", "address");
  expect(location.search).toBe("");
  toggleSort("address", "address");
  expect(location.search).toBe("?sort=-address");
});
