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
])("%s leads to the first page", (next) => {
  expect(nextPage(next)).toBe(HOME);
});

test("a page of the console, with its state, is where one goes back to", () => {
  const here = { pathname: "/console/emails/7", search: "?after=1&limit=2" };
  const url = new URL(signInUrl(here), "http://localhost");
  expect(url.pathname).toBe("/console/sign-in");
  expect(nextPage(url.searchParams.get("next"))).toBe("/console/emails/7?after=1&limit=2");
});

test("keeps the fragment, which browsers never send", () => {
  const here = { pathname: "/console/invitation", search: "", hash: "#secret" };
  expect(signInUrl(here)).toBe("/console/sign-in?next=%2Fconsole%2Finvitation#secret");
  const door = { pathname: "/console/sign-in", search: "?next=%2Fconsole%2Finvitation" };
  expect(signInUrl({ ...door, hash: "#secret" })).toBe(signInUrl(here));
  expect(nextPage("/console/invitation", "#secret")).toBe("/console/invitation#secret");
  expect(nextPage("https://evil.example/", "#secret")).toBe(HOME);
});

test("the sign-in page leads to itself, without growing", () => {
  const here = { pathname: "/console/sign-in", search: "?next=%2Fconsole%2Femails%2F7" };
  expect(signInUrl(here)).toBe("/console/sign-in?next=%2Fconsole%2Femails%2F7");
});
