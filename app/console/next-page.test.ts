import { expect, test } from "vitest";

import { HOME, nextPage, signInUrl } from "./next-page.ts";

test.each([
  "https://evil.example/console/emails",
  "//evil.example/console/emails",
  "/\\evil.example/console/",
  "/\t/evil.example/console/",
  "\\\\evil.example",
  "javascript:alert(1)",
  "/openapi.json",
  "/console/../emails",
  "/consoles/x",
  "/console/api/sign-out",
  "/console/sign-in?next=/console/sign-in",
  "",
  null,
])("%s falls back to the overview", (next) => {
  expect(nextPage(next)).toBe(HOME);
});

test("signing in returns to the page with its query string", () => {
  const here = { pathname: "/console/emails/7", search: "?after=1&limit=2" };
  const url = new URL(signInUrl(here), "http://localhost");
  expect(url.pathname).toBe("/console/sign-in");
  expect(nextPage(url.searchParams.get("next"))).toBe("/console/emails/7?after=1&limit=2");
});

test("keeps the fragment, which browsers never send", () => {
  const here = { pathname: "/console/invitation", search: "", hash: "#secret" };
  expect(signInUrl(here)).toBe("/console/sign-in?next=%2Fconsole%2Finvitation#secret");
  const signInPage = { pathname: "/console/sign-in", search: "?next=%2Fconsole%2Finvitation" };
  expect(signInUrl({ ...signInPage, hash: "#secret" })).toBe(signInUrl(here));
  expect(nextPage("/console/invitation", "#secret")).toBe("/console/invitation#secret");
  expect(nextPage("https://evil.example/", "#secret")).toBe(HOME);
});

test("the sign-in page's own URL isn't nested", () => {
  const here = { pathname: "/console/sign-in", search: "?next=%2Fconsole%2Femails%2F7" };
  expect(signInUrl(here)).toBe("/console/sign-in?next=%2Fconsole%2Femails%2F7");
});
